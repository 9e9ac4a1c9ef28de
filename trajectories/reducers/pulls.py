"""Pulls: opened, edited, merged or closed, by hook or as a sweep saw them; and whether they conflict."""

from __future__ import annotations

from typing import Final

from trajectories.reducers.conflicts import Conflicts
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import flag, items, moment, number, stamp, text, words
from trajectories.reducers.people import Who
from trajectories.reducers.tables import Key
from trajectories.reducers.topic import Seen, Topic

REOPEN_DOUBT_MS: Final = 5_000  # a sweep may have read the pull just before the close it arrives after


class Pulls(Topic):
    """One row a pull. A sweep stands in for any hook that has not come; a later hook of the same fact changes nothing."""

    table = "pulls"

    def prepare(self) -> None:
        self.bodies = self.state.index("pulls.bodies")
        self.closed_at = self.state.index("pulls.closed_at")  # number -> at
        self.conflicts = Conflicts(self)

    # what others ask

    def author_of(self, number: int) -> Who:
        """Who opened it."""
        row = self.rows.get(number)
        author = row["author"] if row is not None else None
        return author if isinstance(author, (int, str)) else None

    def is_merged(self, number: int) -> bool:
        """It was merged."""
        row = self.rows.get(number)
        return row is not None and row["status"] == "merged"

    def is_open(self, number: Key | None) -> bool:
        """It is known and neither merged nor closed."""
        row = self.rows.get(number) if number is not None else None
        return row is not None and row["status"] == "open"

    # hooks

    def on_pull_opened(self, seen: Seen) -> None:
        """A pull exists."""
        if (pull := number(seen.fields, "number")) is not None:
            self._describe(pull, seen, seen.said, author=seen.who)

    def on_pull_edited(self, seen: Seen) -> None:
        """Title, body or base changed."""
        if (pull := number(seen.fields, "number")) is not None:
            self._describe(pull, seen)

    def on_pull_pushed(self, seen: Seen) -> None:
        """Its head moved."""
        pull = number(seen.fields, "number")
        if pull in self.rows and pull is not None:
            self.conflicts.pushed(pull, text(seen.fields, "sha"), seen)
            self.put(pull, **with_evidence(self.rows[pull], seen.ref))
            self.team.tell("pull_pushed", pull, seen)

    def on_commits_pushed(self, seen: Seen) -> None:
        """A base may have moved: what conflicts later, conflicts with this."""
        self.conflicts.moved(text(seen.fields, "branch"), text(seen.fields, "after"), seen)

    def on_pull_merged(self, seen: Seen) -> None:
        """The actor merged it."""
        if (pull := number(seen.fields, "number")) is not None:
            self._describe(pull, seen)
            self._merge(pull, seen)

    def on_pull_closed(self, seen: Seen) -> None:
        """Closed without a merge."""
        if (pull := number(seen.fields, "number")) is not None:
            self._describe(pull, seen)
            self._close(pull, seen)

    def on_pull_reopened(self, seen: Seen) -> None:
        """Open again."""
        if (pull := number(seen.fields, "number")) is not None:
            self._describe(pull, seen)
            self._reopen(pull, seen)

    # sweeps

    def on_pull_observed(self, seen: Seen) -> None:
        """What REST says of a pull. Reviews first: they came before the merge they led to."""
        fields = seen.fields
        pull = number(fields, "number")
        if pull is None:
            return
        opened = moment(fields.get("opened_at"))
        self._describe(pull, seen, seen.said if opened is None else opened)
        state = text(fields, "state")
        merged_at = moment(fields.get("merged_at"))
        merged = state == "merged" or merged_at is not None or flag(fields, "merged")
        if "reviews" in fields:
            self.team.tell("reviews_observed", pull, items(fields, "reviews"), merged_at, seen)
        if merged:
            who = self.team.people.who(seen.source, fields.get("merged_by"), fields.get("merged_by_id"))
            self._merge(pull, seen._replace(who=who, said=seen.said if merged_at is None else merged_at))
        elif state == "closed":
            closed = moment(fields.get("closed_at"))
            self._close(pull, seen._replace(said=seen.said if closed is None else closed))
        elif state == "open":
            if self.rows[pull]["status"] == "closed" and seen.at - self.closed_at.get(pull, 0) >= REOPEN_DOUBT_MS:
                self._reopen(pull, seen)
            if self.rows[pull]["status"] == "open":
                self.conflicts.weigh(pull, text(fields, "conflict"), seen)

    # told by other topics

    def heard_pull_linked(self, pull: int, claim: int, seen: Seen) -> None:
        """The claim it belongs to (the first, if it names several)."""
        self.put(pull, claim=claim)

    def heard_pull_superseded(self, pull: int, by: int) -> None:
        """Another pull settled the claim of this one."""
        if self.rows[pull]["status"] == "open" and self.rows[pull]["superseded_by"] is None:
            self.put(pull, superseded_by=by)

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """A review is part of what happened to it."""
        if pull in self.rows:
            self.put(pull, **with_evidence(self.rows[pull], seen.ref))

    # inside

    def _describe(self, pull: int, seen: Seen, opened: int | None = None, author: Who = None) -> None:
        fields, row = seen.fields, self.rows.get(pull)
        new = row is None
        title, base, head = words(fields, "title"), words(fields, "base"), words(fields, "head")
        body = words(fields, "body")
        named = fields.get("author")
        if named is not None:
            author = self.team.people.who(seen.source, named, fields.get("author_id"))
        told = not new and seen.kind == "pull.opened" and row is not None and row["title"]
        if told:
            return
        if row is None:
            self.put(
                pull,
                title=title or "",
                author=author,
                head=head,
                base=base,
                opened_at=None if opened is None else stamp(opened),
                **with_evidence(None, seen.ref),
            )
        else:
            if title is not None and title != row["title"]:
                self.put(pull, title=title)
            if base is not None and base != row["base"]:
                self.put(pull, base=base)
                self.conflicts.set(pull, "unknown")
            if row["head"] is None and head is not None:
                self.put(pull, head=head)
            if row["author"] is None and author is not None:
                self.put(pull, author=author)
        row = self.rows[pull]
        if body is not None and body != self.bodies.get(pull):
            self.state.assign(self.bodies, pull, body)
        if (new or seen.kind == "pull.edited" or seen.kind == "pull.observed") and row["status"] == "open":
            facts = (str(row["title"]), self.bodies.get(pull, ""), str(row["head"] or ""))
            self.team.tell("pull_described", pull, self.author_of(pull), *facts, seen)
        if new:
            self.conflicts.clean(pull, seen)
            self.team.tell("pull_opened", pull, self.author_of(pull), seen)

    def _merge(self, pull: int, seen: Seen) -> None:
        row = self.rows[pull]
        if row["status"] == "merged":
            return
        self.conflicts.set(pull, "false")
        evidence = with_evidence(row, seen.ref)
        self.put(
            pull,
            status="merged",
            merged_by=seen.who,
            merged_at=stamp(seen.said),
            closed_at=stamp(seen.said),
            **evidence,
        )
        self.team.tell("pull_merged", pull, seen.who, self.author_of(pull), seen)
        sha = text(seen.fields, "sha")
        if sha and type(row["base"]) is str:
            self.conflicts.moved(row["base"], sha, seen)
            self.team.tell("base_moved", row["base"], sha, seen)
        self.team.tell("pull_settled", pull, seen)

    def _close(self, pull: int, seen: Seen) -> None:
        if self.rows[pull]["status"] == "open":
            self.conflicts.set(pull, "unknown")
            self.state.assign(self.closed_at, pull, seen.at)
            evidence = with_evidence(self.rows[pull], seen.ref)
            self.put(pull, status="closed", closed_at=stamp(seen.said), **evidence)
            self.team.tell("pull_settled", pull, seen)

    def _reopen(self, pull: int, seen: Seen) -> None:
        if self.rows[pull]["status"] == "closed":
            self.put(pull, status="open", closed_at=None, **with_evidence(self.rows[pull], seen.ref))
            self.team.tell("pull_reopened", pull, seen)

"""Reviews: what was said of a pull, and whether it still stands."""

from __future__ import annotations

from typing import Any, Final

from trajectories.reducers.contradictions import Contradictions
from trajectories.reducers.counterexamples import Counterexamples
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import flag, moment, number, stamp, text, whole
from trajectories.reducers.people import Who
from trajectories.reducers.subjects import pull_numbers, unquoted
from trajectories.reducers.topic import Seen, Topic

VERDICTS: Final = frozenset(["approved", "changes_requested", "commented"])
_OPPOSITE: Final = {"approved": "changes_requested", "changes_requested": "approved"}


class Reviews(Topic):
    """One row a review, keyed `{pull}.{reviewer}.{k}`; k counts a reviewer's reviews of a pull, by hook or sweep."""

    table = "reviews"

    def prepare(self) -> None:
        state = self.state
        self.by_pair = state.index("reviews.by_pair")  # (pull, reviewer) -> (key, ..)
        self.bound = state.index("reviews.bound")  # pull -> {forge id: key}
        self.unbound = state.index("reviews.unbound")  # keys that no forge id is bound to yet
        self.unmet = state.index("reviews.unmet")  # keys made by a sweep whose hook has not come
        self.said = state.index("reviews.said")  # key -> (said, stripped text)
        self.requested = state.index("reviews.requested")  # pull -> {reviewer}
        self.counterexamples = Counterexamples(self)
        self.contradictions = Contradictions(self)
        self.failing = state.index("reviews.failing")  # the FAIL being told fails a claim of its author

    # what others ask

    def of_pair(self, pull: int, reviewer: Who) -> tuple[str, ...]:
        """Keys of a reviewer's reviews of a pull, oldest first."""
        found: tuple[str, ...] = self.by_pair.get((pull, reviewer), ())
        return found

    def has_reviewer(self, pull: int) -> bool:
        """Someone else has reviewed it or has been asked to."""
        return pull in self.requested

    # hooks

    def on_review_requested(self, seen: Seen) -> None:
        """A reviewer is asked."""
        pull = number(seen.fields, "number")
        reviewer = self.team.people.who(seen.source, seen.fields.get("reviewer"), seen.fields.get("reviewer_id"))
        if pull is not None and reviewer is not None:
            self.state.member(self.requested, pull, reviewer)
            self.team.tell("review_asked", pull, reviewer, seen)

    def on_review_request_removed(self, seen: Seen) -> None:
        """The request was taken back; a review already given still counts as a reviewer."""
        pull = number(seen.fields, "number")
        reviewer = self.team.people.who(seen.source, seen.fields.get("reviewer"), seen.fields.get("reviewer_id"))
        if pull is not None and not self.of_pair(pull, reviewer):
            self.state.leave(self.requested, pull, reviewer)
            self.team.tell("review_unasked", pull, seen)

    def on_review_submitted(self, seen: Seen) -> None:
        """A verdict by hook; it may be one that a sweep saw first."""
        pull, verdict = number(seen.fields, "number"), text(seen.fields, "verdict")
        if pull is None or verdict not in VERDICTS:
            return
        words = _plain(text(seen.fields, "text"))
        for key in self.of_pair(pull, seen.who):
            if key in self.unmet and self.rows[key]["verdict"] == verdict and self.said[key][1] == words:
                self.state.remove(self.unmet, key)
                self.put(key, **with_evidence(self.rows[key], seen.ref))
                return
        self._add(pull, seen.who, verdict, words, seen)

    # sweeps

    def heard_reviews_observed(self, pull: int, reviews: list[Any], merged_at: int | None, seen: Seen) -> None:
        """Bind the forge's ids to rows, in rising order; add what no hook told; a bound id that is gone was deleted."""
        told = [each for each in reviews if isinstance(each, dict) and whole(each.get("id")) is not None]
        here = set()
        for each in sorted(told, key=lambda one: int(one["id"])):
            who = self.team.people.who(seen.source, each.get("actor", each.get("worker")), each.get("actor_id"))
            verdict = text(each, "verdict")
            if verdict not in VERDICTS:
                continue
            here.add(each["id"])
            key = self._bind(pull, each["id"], who, verdict, _plain(text(each, "text")), each.get("said_at"), seen)
            self._judge(key, pull, each, merged_at, seen)
        for id, key in list(self.bound.get(pull, {}).items()):
            if id not in here and self.rows[key]["status"] not in ("withdrawn", "dismissed"):
                self._withdraw(key, pull, "", seen, before_merge=not self._merged(pull, merged_at))

    def _bind(self, pull: int, id: int, who: Who, verdict: str, words: str, said: Any, seen: Seen) -> str:
        bound = self.bound.get(pull, {})
        if id in bound:
            return str(bound[id])
        same = (k for k in self.of_pair(pull, who) if k in self.unbound and self.rows[k]["verdict"] == verdict)
        key = next((k for k in same if self.said[k][1] == words), None)
        if key is None:
            when = moment(said)
            key = self._add(pull, who, verdict, words, seen._replace(who=who, said=seen.said if when is None else when))
            self.state.assign(self.unmet, key, True)
        self.state.remove(self.unbound, key)
        if pull not in self.bound:
            self.state.assign(self.bound, pull, {})
        self.state.assign(self.bound[pull], id, key)
        return key

    def _judge(self, key: str, pull: int, told: dict[str, Any], merged_at: int | None, seen: Seen) -> None:
        row = self.rows[key]
        if row["status"] == "withdrawn":
            return
        if flag(told, "dismissed"):
            by = self.team.people.who(seen.source, told.get("dismissed_by"), told.get("dismissed_by_id"))
            if row["status"] == "dismissed" and by != row["reviewer"]:
                return
            when = moment(told.get("dismissed_at"))
            before = not self._merged(pull, merged_at) or (when is not None and when <= (merged_at or 0))
            if by is not None and by == row["reviewer"] and before:
                self._withdraw(key, pull, "", seen if when is None else seen._replace(said=when))
            else:
                self.put(key, status="dismissed", **with_evidence(row, seen.ref))
                self.team.tell("review_dismissed", key, pull, seen)
        elif flag(told, "stale"):
            self.put(key, status="stale")
        elif row["status"] in ("stale", "dismissed"):
            self.put(key, status="standing")

    # what the same reviewer says elsewhere

    def on_note_posted(self, seen: Seen) -> None:
        """A FAIL note that names a pull may be the counterexample of a withdrawal, or speak against a peer's approval."""
        if seen.worker is not None and text(seen.fields, "type") == "FAIL":
            self._mention(seen)
            self.contradictions.failed(seen, own=self.failing.get("note") == number(seen.fields, "note"))

    def heard_claim_failed(self, claim: int, note: int, seen: Seen) -> None:
        """That FAIL is about the author's own claim."""
        self.state.assign(self.failing, "note", note)

    def heard_claim_landed(self, claim: int, pull: int, said: int, ref: str) -> None:
        """Approvals of that pull answer for the claim's subject."""
        self.contradictions.landed_by(claim, pull)

    def heard_pull_merged(self, number: int, merger: Who, author: Who, seen: Seen) -> None:
        """It may mend another."""
        self.contradictions.merged(number, seen)

    def on_message_posted(self, seen: Seen) -> None:
        """So may a message."""
        if seen.worker is not None:
            self._mention(seen)

    on_message_edited = on_message_posted

    def _mention(self, seen: Seen) -> None:
        words = unquoted(text(seen.fields, "text"))
        for pull in pull_numbers(words):
            if pull in self.team.pulls.rows:
                self.counterexamples.mentioned(seen.who, pull, words, seen)

    # inside

    def heard_pull_described(self, pull: int, author: Who, title: str, body: str, head: str, seen: Seen) -> None:
        """What it says it mends; and a review may have come before its pull was known."""
        self.contradictions.described(pull, title, body)
        for reviewer in self.requested.get(pull, ()):
            for key in self.of_pair(pull, reviewer):
                if self.rows[key]["author"] is None:
                    self.put(key, author=author)

    def _add(self, pull: int, who: Who, verdict: str, words: str, seen: Seen) -> str:
        before = self.of_pair(pull, who)
        key = f"{pull}.{'unknown' if who is None else who}.{len(before) + 1}"
        author = self.team.pulls.author_of(pull)
        self.state.assign(self.by_pair, (pull, who), (*before, key))
        self.state.assign(self.unbound, key, True)
        self.state.assign(self.said, key, (seen.said, words))
        evidence = with_evidence(None, seen.ref)
        self.put(key, pull=pull, reviewer=who, author=author, verdict=verdict, at=stamp(seen.said), **evidence)
        if who != author:
            self.state.member(self.requested, pull, who)
        self.team.tell("review_given", key, pull, who, author, seen)
        opposite = _OPPOSITE.get(verdict)
        for old in before if opposite and not self.team.pulls.is_merged(pull) else ():
            if self.rows[old]["verdict"] == opposite and self.rows[old]["status"] in ("standing", "stale"):
                # a sweep may tell of an old review after a newer one: the newer stands
                if self.said[old][0] // 1000 <= seen.said // 1000:
                    self._withdraw(old, pull, words, seen)
                else:
                    self._withdraw(key, pull, self.said[old][1], seen._replace(said=self.said[old][0]))
        return key

    def _withdraw(self, key: str, pull: int, words: str, seen: Seen, before_merge: bool = True) -> None:
        row = self.rows[key]
        evidence = with_evidence(row, seen.ref)
        if not before_merge:
            self.put(key, status="dismissed", **evidence)
            self.team.tell("review_dismissed", key, pull, seen)
            return
        self.put(key, status="withdrawn", withdrawn_at=stamp(seen.said), **evidence)
        if row["verdict"] == "approved":
            self.counterexamples.withdrawn(key, pull, words, self.said[key][0], seen)
        self.team.tell("review_withdrawn", key, pull, seen)

    def _merged(self, pull: int, merged_at: int | None) -> bool:
        return merged_at is not None or self.team.pulls.is_merged(pull)


def _plain(words: str) -> str:
    return words.replace("\r\n", "\n").strip()

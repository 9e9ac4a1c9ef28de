"""Which claims a pull belongs to: five methods, the strongest that hits, tried when a pull opens and at each edit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.about import subject_of
from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.people import Who
from trajectories.reducers.subjects import paths
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.claims import Claims

#: Strongest first; an edit replaces a link only by a stronger one.
METHODS: Final = ("trailer", "branch", "delegation", "subject", "only")
LOST: Final = frozenset(["failed", "abandoned", "expired"])
_TRAILER: Final = re.compile(r"^[ \t]*claims?:[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE)
_ID: Final = re.compile(r"[n#]?(\d{1,15})", re.IGNORECASE)
_BRANCH: Final = re.compile(r"(?<![A-Za-z0-9])n(\d{1,15})(?![A-Za-z0-9])")
_LONGEST: Final = 20_000


class Links:
    """Part of the claims reducer: pull -> claims and back, and what a merge does to them."""

    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        self.state = claims.state
        self.tell = claims.team.tell
        self.of = self.state.index("claims.links")  # pull -> (method, (claim, ..))
        self.pulls_of = self.state.index("claims.pulls_of")  # claim -> {pull}

    def find(self, number: int, author: Who, title: str, body: str, head: str, seen: Seen) -> None:
        """Try the methods stronger than the link there is."""
        before = self.of.get(number)
        for method in METHODS[: METHODS.index(before[0])] if before else METHODS:
            found = self._by(method, author, title[:_LONGEST], body[:_LONGEST], head)
            if found:
                self._link(number, method, self._with_renewals(found), author, seen)
                return

    def merged(self, number: int, author: Who, seen: Seen) -> None:
        """Land the author's own claims; another worker's is superseded while live, recovered once lost."""
        method, linked = self.of.get(number, ("", ()))
        for claim in linked:
            row = self.claims.rows[claim]
            if row["worker"] == author:
                self.claims.land(claim, number, method, seen.said, seen.ref)
            elif row["status"] == "live":
                self.claims.close(claim, "superseded", seen.said, seen.ref)
            elif row["status"] in LOST:
                self.tell("lost_claim_merged", claim, number, author, seen)
            self.outdated(claim, number)

    def outdated(self, claim: int, by: int) -> None:
        """The claim is settled by a merged pull: its other pulls are superseded."""
        for other in sorted(self.pulls_of.get(claim, ())):
            if other != by:
                self.tell("pull_superseded", other, by)

    def renewed(self, old: int, new: int) -> None:
        """A renewal takes over the pulls of the claim it renews."""
        for number in sorted(self.pulls_of.get(old, ())):
            method, linked = self.of[number]
            self.state.assign(self.of, number, (method, (*linked, new)))
            self.state.member(self.pulls_of, new, number)
            if self.claims.rows[new]["pull"] is None:
                self.claims.put(new, pull=number, linked_by=method)

    def _with_renewals(self, found: tuple[int, ...]) -> tuple[int, ...]:
        every = dict.fromkeys(found)
        for claim in found:
            while (newer := self.claims.renewed_by.get(claim)) is not None:
                every[newer] = None
                claim = newer
        return tuple(every)

    def _link(self, number: int, method: str, found: tuple[int, ...], author: Who, seen: Seen) -> None:
        for old in self.of.get(number, ("", ()))[1]:
            self.state.leave(self.pulls_of, old, number)
            row = self.claims.rows[old]
            if row["pull"] == number and row["status"] != "landed":
                self.claims.put(old, pull=min(self.pulls_of.get(old, ()), default=None))
        self.state.assign(self.of, number, (method, found))
        for claim in found:
            self.state.member(self.pulls_of, claim, number)
            row = self.claims.rows[claim]
            fields = with_evidence(row, seen.ref)
            if row["pull"] is None:
                fields |= {"pull": number, "linked_by": method}
            self.claims.put(claim, **fields)
            if row["worker"] == author:
                self.claims.moving.came_back(claim)
            elif row["status"] in LOST and author is not None:
                self.tell("lost_claim_pulled", claim, number, author, seen)
        self.tell("pull_linked", number, found[0], seen)

    def _by(self, method: str, author: Who, title: str, body: str, head: str) -> tuple[int, ...]:
        if method == "trailer":
            return self._known(each for line in _TRAILER.findall(body) for each in _ids(line))
        if method == "branch":
            return self._known(int(each) for each in _BRANCH.findall(head))
        if type(author) is not int:
            return ()
        if method == "only":
            live = self.claims.live_of.get(author, {})
            return tuple(live) if len(live) == 1 else ()
        keys = self.claims.keys_of.get(author, {})
        if not keys:
            return ()
        if method == "delegation":
            named = self.claims.live.named(author, f"{title}\n{body}\n{head}".casefold())
            return () if named is None else (keys[named],)
        about = subject_of(title, None, "", self.claims.team.people.spoken)
        for key in (about.key, *(f"p:{path}" for path in paths(title))):
            if key in keys:
                return (keys[key],)
        own = self.claims.live.own(author, about)
        return () if own is None else (own,)

    def _known(self, ids: object) -> tuple[int, ...]:
        return tuple(dict.fromkeys(each for each in ids if each in self.claims.rows))  # type: ignore[attr-defined]


def _ids(line: str) -> list[int]:
    found = (_ID.fullmatch(part.strip(".;")) for part in re.split(r"[,\s]+", line))
    return [int(each.group(1)) for each in found if each]

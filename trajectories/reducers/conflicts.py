"""Whether a pull conflicts with its base, since when, and which pushes of the base came in between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.tables import Row
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.pulls import Pulls

_UNFINISHED: Final = re.compile(r"\s*(?:\[wip\]|wip\b|draft\s*:)", re.IGNORECASE)
_KEPT: Final = 40  # of a base's latest moves
_SHOWN: Final = 10


class Conflicts:
    """Part of the pulls reducer."""

    def __init__(self, pulls: Pulls) -> None:
        self.pulls = pulls
        self.state = pulls.state
        self.moves = self.state.index("pulls.base_moves")  # branch -> ((at, ref, sha), ..) its latest
        self.clean_at = self.state.index("pulls.clean_at")  # pull -> when it was last known to merge cleanly

    def moved(self, branch: str, sha: str, seen: Seen) -> None:
        """A branch that pulls go to may have moved; a merge and the push of it are one move."""
        before = self.moves.get(branch, ())
        if sha and not any(each[2] == sha for each in before[-3:]):
            self.state.assign(self.moves, branch, (*before[1 - _KEPT :], (seen.at, seen.ref, sha)))

    def clean(self, pull: int, seen: Seen) -> None:
        """It was opened, pushed to, or seen to merge cleanly."""
        self.state.assign(self.clean_at, pull, seen.at)

    def weigh(self, pull: int, said: str, seen: Seen) -> None:
        """The sweep has weighed it already (two looks apart in time agree); work in progress never conflicts."""
        row = self.pulls.rows[pull]
        if said != "true" or _UNFINISHED.match(str(row["title"])):
            self.set(pull, "false" if said == "false" else "unknown")
            if said == "false":
                self.clean(pull, seen)
        elif row["conflict"] != "true":
            since = self.clean_at.get(pull, 0)
            bases = [ref for at, ref, _ in self.moves.get(row["base"], ()) if since < at <= seen.at][-_SHOWN:]
            times = row["conflicts"] if type(row["conflicts"]) is int else 0
            told: Row = {"conflicts": times + 1, "conflicted_at": stamp(seen.said), "conflict_bases": bases}
            self.pulls.put(pull, conflict="true", **told, **with_evidence(row, *bases[-1:], seen.ref))
            self.pulls.team.tell("pull_conflicts", pull, seen.said, seen.ref)

    def set(self, pull: int, value: str) -> None:
        """Unknown or false; true comes by weighing."""
        before = self.pulls.rows[pull]["conflict"]
        if before != value:
            self.pulls.put(pull, conflict=value)
            if before == "true":
                self.pulls.team.tell("pull_free_of_conflict", pull)

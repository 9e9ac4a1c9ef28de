"""Whether a pull conflicts with its base, since when, and which pushes of the base came in between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import items, stamp, text
from trajectories.reducers.tables import Row
from trajectories.reducers.topic import Seen

if TYPE_CHECKING:
    from trajectories.reducers.pulls import Pulls

_UNFINISHED: Final = re.compile(r"\s*(?:\[wip\]|wip\b|draft\s*:)", re.IGNORECASE)
_KEPT: Final = 40  # of a base's latest moves
_SHOWN: Final = 10
_MOST_FILES: Final = 400  # of a branch


def _files(seen: Seen) -> list[str]:
    """The files that the commits of a push touched."""
    commits = [each for each in items(seen.fields, "commits") if isinstance(each, dict)]
    return [file for each in commits for file in items(each, "files") if type(file) is str and file]


class Conflicts:
    """Part of the pulls reducer."""

    def __init__(self, pulls: Pulls) -> None:
        self.pulls = pulls
        self.state = pulls.state
        self.moves = self.state.index("pulls.base_moves")  # branch -> ((at, ref, sha, files), ..) its latest
        self.clean_at = self.state.index("pulls.clean_at")  # pull -> when it was last known to merge cleanly
        self.clashed_at = self.state.index("pulls.clashed_at")  # pull -> when its present conflict was first seen
        self.heads = self.state.index("pulls.weighed_heads")  # pull -> the head that the newest look at it has weighed
        self.files = self.state.index("pulls.branch_files")  # branch -> {file that a push of it touched}

    def moved(self, branch: str, sha: str, seen: Seen) -> None:
        """A branch that pulls go to may have moved; a merge and the push of it are one move."""
        before, files = self.moves.get(branch, ()), tuple(_files(seen))
        place = next((k for k in range(len(before) - 1, max(-1, len(before) - 4), -1) if before[k][2] == sha), None)
        if place is None and sha:
            self.state.assign(self.moves, branch, (*before[1 - _KEPT :], (seen.at, seen.ref, sha, files)))
        elif place is not None and files and not before[place][3]:
            told = (*before[place][:3], files)
            self.state.assign(self.moves, branch, (*before[:place], told, *before[place + 1 :]))
        known = self.files.get(branch, {})
        for file in files if len(known) < _MOST_FILES else ():
            self.state.member(self.files, branch, file)

    def path(self, pull: int) -> str | None:
        """The file that it and the moves of its base since it was clean have both touched, if that is known; the first by name."""
        row = self.pulls.rows[pull]
        mine = self.files.get(row["head"], {})
        since = self.clean_at.get(pull, 0)
        theirs = (file for at, _, _, files in self.moves.get(row["base"], ()) if at > since for file in files)
        return min((each for each in theirs if each in mine), default=None)

    def clean(self, pull: int, seen: Seen) -> None:
        """It was opened, pushed to, or seen to merge cleanly."""
        self.state.assign(self.clean_at, pull, seen.at)

    def pushed(self, pull: int, sha: str, seen: Seen) -> None:
        """The head moved: whether it conflicts is open again, unless a look has weighed that very head before its hook came."""
        if sha and self.heads.get(pull) == sha:
            return
        self.state.assign(self.heads, pull, "")
        self.set(pull, "unknown")
        self.clean(pull, seen)

    def weigh(self, pull: int, said: str, seen: Seen) -> None:
        """The sweep has weighed it already (two looks apart in time agree); work in progress never conflicts."""
        row = self.pulls.rows[pull]
        self.state.assign(self.heads, pull, text(seen.fields, "head_sha"))
        if said != "true" or _UNFINISHED.match(str(row["title"])):
            self.set(pull, "false" if said == "false" else "unknown")
            if said == "false":
                self.clean(pull, seen)
        elif row["conflict"] != "true":
            since = self.clean_at.get(pull, 0)
            if self.clashed_at.get(pull, -1) >= since:  # the same conflict, in doubt for a while: it is no other
                self.pulls.put(pull, conflict="true")
                self.pulls.team.tell("pull_conflicts", pull, seen.said, seen.ref)
                return
            self.state.assign(self.clashed_at, pull, seen.at)
            bases = [ref for at, ref, _, _ in self.moves.get(row["base"], ()) if since < at <= seen.at][-_SHOWN:]
            times = row["conflicts"] if type(row["conflicts"]) is int else 0
            told: Row = {"conflicts": times + 1, "conflicted_at": stamp(seen.said), "conflict_bases": bases}
            self.pulls.put(pull, conflict="true", **told, **with_evidence(row, *bases[-1:], seen.ref))
            self.pulls.team.tell("pull_conflicts", pull, seen.said, seen.ref)
            self.pulls.team.tell("pull_clashed", pull, seen.said, seen.ref)

    def set(self, pull: int, value: str) -> None:
        """Unknown or false; true comes by weighing."""
        before = self.pulls.rows[pull]["conflict"]
        if before != value:
            self.pulls.put(pull, conflict=value)
            if before == "true":
                self.pulls.team.tell("pull_free_of_conflict", pull)

"""Branches: pushes are a chain of before -> after; a break in it is a gap, a repeat of it a redelivery."""

from __future__ import annotations

from typing import Any

from trajectories.reducers.fields import flag, stamp, text
from trajectories.reducers.topic import Seen, Topic


class Branches(Topic):
    """One row a branch; a deleted branch keeps its row."""

    table = "branches"

    def on_branch_created(self, seen: Seen) -> None:
        """It exists, at this commit if the source says so."""
        if branch := text(seen.fields, "branch"):
            row = self.rows.get(branch)
            known = row["sha"] if row is not None and row["deleted_at"] is None else None
            self.put(branch, sha=known or text(seen.fields, "sha") or None, at=stamp(seen.said), deleted_at=None)

    def on_branch_deleted(self, seen: Seen) -> None:
        """It is gone."""
        branch = text(seen.fields, "branch")
        if branch and branch in self.rows:
            self.put(branch, at=stamp(seen.said), deleted_at=stamp(seen.said))

    def on_commits_pushed(self, seen: Seen) -> None:
        """Applied where it continues the known head or no head is known; a repeat is passed over, a break is a gap."""
        branch, after = text(seen.fields, "branch"), text(seen.fields, "after")
        if not branch or not after:
            return
        if self.repeats(seen):
            return
        head = self._head(branch)
        gap = flag(seen.fields, "gap") or (head is not None and text(seen.fields, "before") != head)
        self._move(branch, after, seen, gap=gap and head is not None)

    def on_refs_observed(self, seen: Seen) -> None:
        """A sweep puts every head right; what it corrects was missed by the hooks."""
        branches: Any = seen.fields.get("branches")
        if not isinstance(branches, dict):
            return
        for branch, sha in sorted(each for each in branches.items() if all(type(e) is str and e for e in each)):
            head = self._head(branch)
            if head != sha:
                self._move(branch, sha, seen, gap=head is not None)
        for key, row in list(self.rows.items()):
            if row["deleted_at"] is None and key not in branches:
                self.put(key, at=stamp(seen.said), deleted_at=stamp(seen.said))

    def repeats(self, seen: Seen) -> bool:
        """A push that was told before: it ends where its branch is, and does not begin there."""
        head, after = self._head(text(seen.fields, "branch")), text(seen.fields, "after")
        return head is not None and after == head != text(seen.fields, "before")

    def heard_base_moved(self, branch: str, sha: str, seen: Seen) -> None:
        """A merge made this commit the head of its base."""
        if self._head(branch) != sha:
            self._move(branch, sha, seen, gap=False)

    def _head(self, branch: str) -> str | None:
        row = self.rows.get(branch)
        if row is None or row["deleted_at"] is not None:
            return None
        return row["sha"] if type(row["sha"]) is str else None

    def _move(self, branch: str, sha: str, seen: Seen, gap: bool) -> None:
        row = self.rows.get(branch)
        gaps = row["gaps"] if row is not None and type(row["gaps"]) is int else 0
        self.put(branch, sha=sha, at=stamp(seen.said), gaps=gaps + gap, deleted_at=None)

"""Nodes: the machines that workers are placed on. A lost node moves no worker: the monitor reports each one's exit."""

from __future__ import annotations

from trajectories.reducers.fields import stamp, text
from trajectories.reducers.topic import Seen, Topic


class Nodes(Topic):
    """One row a node, up since it joined or since the first worker was placed on it."""

    table = "nodes"

    def on_node_joined(self, seen: Seen) -> None:
        """It takes part, again perhaps."""
        if node := text(seen.fields, "node"):
            self.put(node, status="up", since=stamp(seen.said), lost_at=None)

    def on_node_lost(self, seen: Seen) -> None:
        """It no longer answers."""
        if node := text(seen.fields, "node"):
            self.put(node, status="lost", since=stamp(seen.said), lost_at=stamp(seen.said))
            self.team.tell("node_lost", node, seen)

    def heard_worker_placed(self, node: str | None, before: str | None, seen: Seen) -> None:
        """The roster puts a worker on a node, or moves it."""
        if before:
            self._count(before, -1, seen)
        if node:
            self._count(node, 1, seen)

    def _count(self, node: str, change: int, seen: Seen) -> None:
        row = self.rows.get(node)
        before = row["workers"] if row is not None else 0
        since = row["since"] if row is not None else stamp(seen.said)
        self.put(node, workers=max(0, (before if type(before) is int else 0) + change), since=since)

"""The canonical order of a run: (`at`, source rank, source sequence, id, part)."""

from __future__ import annotations

from trajectories.events.event import Event

RANKS: dict[str, int] = {"run": 0, "board": 1, "mattermost": 2, "gitea": 3, "gateway": 4, "acp": 5}


def order_key(event: Event) -> tuple[int, int, int, str, int]:
    """The key two events of one run are compared by; equal keys are the same event."""
    return (event.at, RANKS[event.source], event.seq, event.id, event.part)

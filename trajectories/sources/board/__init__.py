"""Source `board`: every note, refusal, read and unfolding, from the board's append-only log."""

from __future__ import annotations

from trajectories.sources.board.parse import parse
from trajectories.sources.board.pull import pull

NAME = "board"
RANK = 1
DESCRIPTION = "Typed notes, refusals and reads, from the board's append-only log."

__all__ = ["DESCRIPTION", "NAME", "RANK", "parse", "pull"]

"""The worker and its services: what loop and gateway add to a turn, memory per worker, what the gateway passes on, and what the board
sustains with a thousand workers."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from trajectories.bench import board_load
from trajectories.bench.gateway import gateway
from trajectories.bench.programs import cpu_s, memory_mb, service
from trajectories.bench.turns import turns

WORKERS, SECONDS, NOTES_A_SECOND = 1_024, 20.0, 10.0


def worker() -> dict[str, Any]:
    """`turn` (see `turns`), `gateway` beside a direct connection, `board`: `writing` as fast as it goes beside `bare_appends_per_s`,
    then `polling` at a steady rate."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        told: dict[str, Any] = {"turn": asyncio.run(turns(place / "turns")), "gateway": gateway()}
        return told | {"board": board(place, WORKERS, SECONDS, NOTES_A_SECOND)}


def board(place: Path, workers: int, seconds: float, rate: float) -> dict[str, Any]:
    """A board process under load. `writing_ratio` = notes a second of the bare log's rows a second, one commit each: groups beat it."""
    tokens = board_load.tokens(place, workers)
    bare = board_load.bare_appends(place, 3)
    with service("board", place / "board", tokens_file=str(tokens)) as (url, pid):
        writing = asyncio.run(board_load.writing(url, 5))
        before = cpu_s(pid)
        polling = asyncio.run(board_load.polling(url, workers, seconds, rate))
        polling |= {"board_cpu_s": round(cpu_s(pid) - before, 1), "board_mb": round(memory_mb(pid), 1)}
    ratio = round(writing["notes_per_s"] / bare, 2)
    return {"bare_appends_per_s": bare, "writing": writing, "writing_ratio": ratio, "polling": polling}

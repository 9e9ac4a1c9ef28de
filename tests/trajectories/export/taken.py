"""What the tests of exports share: a derived story, a worker's own words, and what an export gives."""

from __future__ import annotations

import json
from typing import Any

from runs.models import Run
from tests.trajectories.told import delivery, hear, new_run, run_event, told
from trajectories.derive import Deriver
from trajectories.export import EVENTS, Filters, exported

T0 = 1_800_000_000_000


def derived() -> Run:
    """The first-run story, derived."""
    made = new_run()
    hear(made, told())
    Deriver(made.pk).wake()
    return made


def taken(run: Run, form: str, table: str = EVENTS, **filters: Any) -> bytes:
    return b"".join(exported(run, form, table, Filters.read(filters)).pieces)


def objects(run: Run, table: str, **filters: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in taken(run, "jsonl", table, **filters).splitlines()]


def worker_says(run: Run, items: list[tuple[int, str, dict[str, Any]]]) -> Run:
    """Worker 1's own words: (ms since T0, direction, message), one ACP item each."""
    made = [
        {
            "n": n,
            "at": f"2027-01-15T08:00:{at // 1000:02d}.{at % 1000:03d}Z",
            "dir": way,
            "session": 1,
            "turn": 1,
            "msg": msg,
        }
        for n, (at, way, msg) in enumerate(items, 1)
    ]
    hear(run, [("run", run_event(1, "worker.enrolled", T0 - 5_000, worker=1, name="w0001", gitea_login="w0001"))])
    hear(run, [("run", run_event(2, "run.started", T0, duration_s=60, model="m"))])
    hear(run, [("acp", delivery("1-1-1", {"worker": 1, "life": 1, "items": made}, at=T0))])
    Deriver(run.pk).wake()
    return run


def step(way: str, call: str, **more: Any) -> dict[str, Any]:
    update = {"sessionUpdate": way, "toolCallId": call, **more}
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}


def slices(trace: dict[str, Any], lane: tuple[int, int]) -> list[dict[str, Any]]:
    return [each for each in trace["traceEvents"] if each["ph"] == "X" and (each["pid"], each["tid"]) == lane]

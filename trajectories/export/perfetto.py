"""The trajectory as Chrome trace JSON, which ui.perfetto.dev opens: a lane for each worker, turns with their steps inside, marks on top.

Format: "Trace Event Format" (JSON object form). Times are microseconds since the epoch, UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from runs.models import Run
from trajectories.events import millis
from trajectories.export.filters import Filters
from trajectories.export.spans import Mark, Span, spans
from trajectories.newest import Newest, newest

# "Processes": workers' lanes, their model requests, claims and pulls. Above every worker's number: Perfetto takes a
# thread with the number of a process for that process's main thread, and gives its name to another of that number.
TEAM, REQUESTS, WORK = 100_001, 100_002, 100_003
INSIDE_US = 1  # a step stands so far inside its turn: where both begin in one millisecond, order says which holds which
_PROCESSES = {TEAM: "Workers", REQUESTS: "Model requests", WORK: "Claims and pulls"}
BATCH = 500
Record = dict[str, Any]


def as_perfetto(run: Run, filters: Filters) -> Iterator[bytes]:
    """The file in pieces."""
    state = newest(run)
    about = {
        "run": run.slug,
        "name": run.name,
        "origin": run.origin,
        "scripted_model": run.scripted,
        "producer": "agensh-web",
    }
    yield b'{"displayTimeUnit":"ms","otherData":' + orjson.dumps(about) + b',"traceEvents":['
    held: list[bytes] = [orjson.dumps(record) for record in _names(state, filters)]
    first = True
    for record in _records(run, state, filters):
        held.append(orjson.dumps(record))
        if len(held) >= BATCH:
            yield (b"" if first else b",\n") + b",\n".join(held)
            held, first = [], False
    yield (b"" if first or not held else b",\n") + b",\n".join(held) + b"]}\n"


def _names(state: Newest, filters: Filters) -> Iterator[Record]:
    """Names and order of the lanes."""
    for process, name in _PROCESSES.items():
        yield {"ph": "M", "pid": process, "tid": 0, "name": "process_name", "args": {"name": name}}
        yield {"ph": "M", "pid": process, "tid": 0, "name": "thread_name", "args": {"name": "Team"}}
        yield {"ph": "M", "pid": process, "tid": 0, "name": "process_sort_index", "args": {"sort_index": process}}
    for worker, row in sorted(state.tables["workers"].items()):
        if filters.worker in (None, worker):
            for process in _PROCESSES:
                lane = {"pid": process, "tid": worker}
                yield {"ph": "M", **lane, "name": "thread_name", "args": {"name": str(row.get("name") or worker)}}
                yield {"ph": "M", **lane, "name": "thread_sort_index", "args": {"sort_index": worker}}


def _records(run: Run, state: Newest, filters: Filters) -> Iterator[Record]:
    lanes = Lanes()
    for each in spans(run, filters):
        if isinstance(each, Mark):
            yield _mark(each)
        elif each.what == "request":
            yield from lanes.put(each, REQUESTS)
        else:
            yield from lanes.put(each, TEAM)
    if not filters.kind:
        yield from _held(state, filters)


class Lanes:
    """Slices of one lane must nest. One that would cross another is put beside it, as an asynchronous slice of the same lane."""

    def __init__(self) -> None:
        self._newest: dict[tuple[int, int, str], int] = {}

    def put(self, span: Span, process: int) -> Iterator[Record]:
        """The records of a span; spans come as they end."""
        lane = {"pid": process, "tid": span.worker, "cat": span.what, "name": span.name}
        args = {**span.fields, "evidence": span.ref, **({"unfinished": True} if span.unfinished else {})}
        if span.failed:
            args["failed"] = True
        own, turn = (process, span.worker, span.what), (process, span.worker, "turn")
        crosses = span.begin < self._newest.get(own, 0)
        if span.what == "step":  # a step that outlived its turn
            crosses = crosses or span.begin < self._newest.get(turn, 0) < span.end
        self._newest[own] = max(self._newest.get(own, 0), span.end)
        if not crosses:
            inside = INSIDE_US if span.what == "step" else 0
            long = max(0, (span.end - span.begin) * 1000 - 2 * inside)
            yield {"ph": "X", "ts": span.begin * 1000 + inside, "dur": long, **lane, "args": args}
            return
        yield {"ph": "b", "id": span.ref, "ts": span.begin * 1000, **lane, "args": args}
        yield {"ph": "e", "id": span.ref, "ts": span.end * 1000, **lane}


def _mark(mark: Mark) -> Record:
    lane = {"pid": TEAM, "tid": mark.worker} if mark.worker is not None else {"pid": WORK, "tid": 0}
    args = {**mark.fields, "evidence": mark.ref}
    return {"ph": "i", "s": "t", "ts": mark.at * 1000, **lane, "cat": "mark", "name": mark.name, "args": args}


def _held(state: Newest, filters: Filters) -> Iterator[Record]:
    """What the State holds over time: claims and pulls as slices beside each other, the score as a counter."""
    low, high = filters.span(state.t0)
    now = max(
        (millis(row["last_seen_at"]) for row in state.tables["workers"].values() if row["last_seen_at"]),
        default=state.t0 or 0,
    )
    named = {row.get("name"): worker for worker, row in state.tables["workers"].items()}
    for table, begin, end, label in (
        ("claims", "opened_at", "closed_at", "text"),
        ("pulls", "opened_at", "merged_at", "title"),
    ):
        for key, row in state.tables[table].items():
            worker = row.get("worker", named.get(row.get("author"), row.get("author")))
            if not row[begin] or not isinstance(worker, int) or filters.worker not in (None, worker):
                continue
            since = millis(row[begin])
            until = max(since, millis(row[end]) if row.get(end) else now)
            if since <= high and until >= low:
                name = f"{table[:-1]} {key}: {row.get(label) or ''}"[:120]
                lane = {"pid": WORK, "tid": worker, "cat": table[:-1], "id": f"{table}:{key}", "name": name}
                args = {"status": row["status"], "evidence": list(row.get("evidence") or [])}
                yield {"ph": "b", "ts": since * 1000, **lane, "args": args}
                yield {"ph": "e", "ts": until * 1000, **lane}
    for row in state.tables["checkpoints"].values():
        at = millis(row["at"]) if isinstance(row.get("at"), str) else (state.t0 or 0) + int(row.get("at_s") or 0) * 1000
        if low <= at <= high and row.get("rate_ppm") is not None:
            yield {
                "ph": "C",
                "ts": at * 1000,
                "pid": WORK,
                "tid": 0,
                "name": "tests passed",
                "args": {"passed": row["passed"]},
            }

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
from trajectories.export.lanes import FURTHER, PROCESSES, REQUESTS, TEAM, WORK, Lanes, Record
from trajectories.export.spans import Mark, Span, spans
from trajectories.newest import Newest, newest

INSIDE_US = 1  # a step stands so far inside its turn: where both begin in one millisecond, order says which holds which
FLOW = ("pull", "review", "merge", "pull closed")  # marks of one pull that arrows lead along
BATCH = 500


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
    lanes = Lanes({key: str(row.get("name") or key) for key, row in state.tables["workers"].items()})
    held: list[bytes] = [orjson.dumps(record) for record in _names(state, filters, lanes)]
    first = True
    for record in _records(run, state, filters, lanes):
        held.append(orjson.dumps(record))
        if len(held) >= BATCH:
            yield (b"" if first else b",\n") + b",\n".join(held)
            held, first = [], False
    yield (b"" if first or not held else b",\n") + b",\n".join(held) + b"]}\n"


def _names(state: Newest, filters: Filters, lanes: Lanes) -> Iterator[Record]:
    """Names and order of the lanes; further ones are named when they are first needed."""
    for process, name in PROCESSES.items():
        yield {"ph": "M", "pid": process, "tid": 0, "name": "process_name", "args": {"name": name}}
        yield {"ph": "M", "pid": process, "tid": 0, "name": "process_sort_index", "args": {"sort_index": process}}
        yield from lanes.name(process, 0)
    for worker in sorted(state.tables["workers"]):
        if filters.worker in (None, worker):
            for process in PROCESSES:
                yield from lanes.name(process, worker)


def _records(run: Run, state: Newest, filters: Filters, lanes: Lanes) -> Iterator[Record]:
    led: set[Any] = set()
    for each in spans(run, filters):
        if isinstance(each, Mark):
            yield _mark(each, led)
        else:
            yield from _slice(each, lanes)
    if not filters.kind:
        yield from _held(state, filters, lanes)
        yield from _scores(state, filters)


def _slice(span: Span, lanes: Lanes) -> Iterator[Record]:
    process = REQUESTS if span.what == "request" else TEAM
    further = 0
    if span.what != "turn":
        further = lanes.as_ended(process, span.worker, span.begin, span.end, 1 if span.crosses else 0)
    yield from lanes.name(process, span.worker, further)
    args = {**span.fields, "evidence": span.ref, **({"unfinished": True} if span.unfinished else {})}
    if span.failed:
        args["failed"] = True
    inside = INSIDE_US if span.what == "step" else 0
    yield {
        "ph": "X",
        "ts": span.begin * 1000 + inside,
        "dur": max(0, (span.end - span.begin) * 1000 - 2 * inside),
        "pid": process,
        "tid": span.worker + further * FURTHER,
        "cat": span.what,
        "name": span.name,
        "args": args,
    }


def _mark(mark: Mark, led: set[Any]) -> Record:
    """An instant; those of a pull are slices of no length, because arrows lead from slice to slice: opened, reviewed, merged."""
    lane = {"pid": TEAM, "tid": mark.worker} if mark.worker is not None else {"pid": WORK, "tid": 0}
    args = {**mark.fields, "evidence": mark.ref}
    shown = {"ts": mark.at * 1000, **lane, "cat": "mark", "name": mark.name, "args": args}
    number = mark.fields.get("number")
    if mark.name not in FLOW or not isinstance(number, int):
        return {"ph": "i", "s": "t", **shown}
    arrow = {"bind_id": number, "flow_out": True, **({"flow_in": True} if number in led else {})}
    led.add(number)
    return {"ph": "X", "dur": 0, **shown, **arrow}


def _held(state: Newest, filters: Filters, lanes: Lanes) -> Iterator[Record]:
    """What the State holds over time: claims and pulls, in the order in which they were opened."""
    low, high = filters.span(state.t0)
    now = max(
        (millis(row["last_seen_at"]) for row in state.tables["workers"].values() if row["last_seen_at"]),
        default=state.t0 or 0,
    )
    found = [each for each in _opened(state, now) if filters.worker in (None, each[2])]
    for since, until, worker, cat, name, args in sorted(found, key=lambda each: (each[0], -each[1])):
        if since <= high and until >= low:
            further = lanes.as_begun(WORK, worker, since, until)
            yield from lanes.name(WORK, worker, further)
            lane = {"pid": WORK, "tid": worker + further * FURTHER, "cat": cat, "name": name}
            yield {"ph": "X", "ts": since * 1000, "dur": (until - since) * 1000, **lane, "args": args}


def _opened(state: Newest, now: int) -> Iterator[tuple[int, int, int, str, str, Record]]:
    """(since, until, worker, what, name, arguments) of each claim and pull."""
    named = {row.get("name"): worker for worker, row in state.tables["workers"].items()}
    for table, begin, ends, label in (
        ("claims", "opened_at", ("held_until",), "text"),
        ("pulls", "opened_at", ("merged_at", "closed_at"), "title"),
    ):
        for key, row in state.tables[table].items():
            worker = row.get("worker", named.get(row.get("author"), row.get("author")))
            if not row[begin] or not isinstance(worker, int):
                continue
            since = millis(row[begin])
            over = next((row[end] for end in ends if row.get(end)), None)
            name = f"{table[:-1]} {key}: {row.get(label) or ''}"[:120]
            args = {"status": row["status"], "evidence": list(row.get("evidence") or [])}
            if over is None:
                args["unfinished"] = True
            yield since, max(since, millis(over) if over else now), worker, table[:-1], name, args


def _scores(state: Newest, filters: Filters) -> Iterator[Record]:
    """The score as a counter."""
    low, high = filters.span(state.t0)
    for row in state.tables["checkpoints"].values():
        at = millis(row["at"]) if isinstance(row.get("at"), str) else (state.t0 or 0) + int(row.get("at_s") or 0) * 1000
        if low <= at <= high and row.get("rate_ppm") is not None:
            args = {"passed": row["passed"]}
            yield {"ph": "C", "ts": at * 1000, "pid": WORK, "tid": 0, "name": "tests passed", "args": args}

"""Any moment of a run: the State at T, the changes after c."""

from __future__ import annotations

from typing import Any

from trajectories.derive import changelog, keyframes
from trajectories.ingest.garbage import seldom_collected
from trajectories.live import records
from trajectories.models import EventRow, Keyframe, Stream
from trajectories.reducers import RULES_VERSION, TABLES, Fold, rows_hash
from trajectories.reducers.hashing import order_of


class NoSuchTable(KeyError):
    """A table that the State does not have."""


def moment(stream: Stream, seconds: float) -> int:
    """Seconds since run.started as ms since the epoch; before the clock started, since the first event."""
    zero = stream.t0
    if zero is None:
        zero = EventRow.objects.filter(run_id=stream.run_id).order_by("at").values_list("at", flat=True).first() or 0
    return zero + round(seconds * 1000)


def state_at(stream: Stream, at: int) -> Fold:
    """The fold of all events with time <= `at`, then of the timers due."""
    trail, _ = keyframes.trail(stream.run_id, stream.generation, stream.n, at)
    trail.fold.advance(at)
    return trail.fold


def state(run_id: int, seconds: float | None = None, table: str | None = None) -> dict[str, Any]:
    """What the API and `run_state` answer. Without `seconds`: the tables as of change `c`, to follow live from there.

    Raises NoSuchTable.
    """
    if table is not None and table not in TABLES:
        raise NoSuchTable(table)
    stream = Stream.of(run_id)
    tables: Any
    names = sorted(TABLES) if table is None else [table]
    known = ""
    if seconds is None:
        at, c = None, stream.c
        tables, known = _newest(stream, table)
    else:
        at = moment(stream, seconds)
        tables, c = _at(stream, at)
    shown = {name: {str(key): row for key, row in sorted(tables[name].items(), key=_order)} for name in names}
    answer = {"hash": known or rows_hash(tables), "rules_version": RULES_VERSION, "tables": shown}
    place = {"generation": stream.generation, "c": c, "n": stream.n, "at": at, "t0": stream.t0}
    return {**answer, **place, "settled": stream.settled}


def some(run_id: int, seconds: float, *names: str) -> dict[str, Any]:
    """These tables as `state` has them at that moment, but with keys as they are. The hash of all takes as long as all else of `state`."""
    stream = Stream.of(run_id)
    with seldom_collected():
        tables: dict[str, Any] = _at(stream, moment(stream, seconds), names)[0]
    return {name: tables[name] for name in names}


def changes(run_id: int, after: int, limit: int) -> str:
    """`{"generation","last","changes"}` as JSON text: records are sent as they are stored."""
    stream = Stream.of(run_id)
    upto = min(stream.c, after + limit)
    found = ",".join(map(records.text, records.between(run_id, stream.generation, after, upto)))
    return f'{{"generation":{stream.generation},"last":{stream.c},"n":{stream.n},"changes":[{found}]}}'


def _newest(stream: Stream, table: str | None) -> tuple[Any, str]:
    """(tables, hash of all of them, empty if it is not known) after the newest change. Of a settled run only the table asked for is read."""
    if table is not None and stream.settled and stream.settled_hash:
        found = keyframes.by_table(stream.run_id, stream.generation, stream.c)
        if found is not None:
            return {table: found[table].laid()}, stream.settled_hash
    return changelog.tables_at(stream.run_id, stream.generation, stream.c), ""


def _at(stream: Stream, at: int, names: tuple[str, ...] | None = None) -> tuple[Any, int | None]:
    """(tables, c) at a moment. A settled log has a prefix that makes them up to its last event; a live log has no such prefix."""
    if not stream.settled:
        return state_at(stream, at).tables, None
    c = records.last_at(stream.run_id, stream.generation, at)
    end = Keyframe.objects.filter(run_id=stream.run_id, generation=stream.generation, c=stream.c).first()
    if end is not None and at <= end.at:
        return changelog.tables_at(stream.run_id, stream.generation, c, names), c
    return state_at(stream, at).tables, c  # after it, timers may have been due that no event let fire


def _order(item: tuple[Any, Any]) -> tuple[bool, int, str]:
    return order_of(item[0])

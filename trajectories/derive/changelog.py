"""The change log: appended by the deriver, folded by whoever needs the tables at a place of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db import transaction

from trajectories.derive import keyframes
from trajectories.ingest import bulk
from trajectories.live import records
from trajectories.models import Change as ChangeRow
from trajectories.models import ChangePack, Stream
from trajectories.models.packing import pack
from trajectories.reducers import TABLES, Change

PIECE = 450  # rows a transaction
PACK = 2_000  # settled changes a row: what a seek may have to read in vain
Tables = dict[str, dict[Any, dict[str, Any]]]


def append(run_id: int, generation: int, c: int, changes: Sequence[Change]) -> int:
    """Write the changes after `c`; returns the new last number. A reader of the stream row never sees a gap."""
    for start in range(0, len(changes), PIECE):
        piece = changes[start : start + PIECE]
        rows = [(run_id, generation, number, *_told(change)) for number, change in enumerate(piece, c + 1)]
        with transaction.atomic():
            bulk.insert(ChangeRow, rows)
            Stream.objects.filter(run_id=run_id, generation=generation).update(c=c + len(piece))
        c += len(piece)
    return c


def packs(run_id: int, generation: int, c: int, changes: Sequence[Change]) -> list[tuple[Any, ...]]:
    """The settled changes after `c`, many to a row: values of `bulk.CHANGE_PACK`."""
    found = []
    for start in range(0, len(changes), PACK):
        piece = changes[start : start + PACK]
        body = orjson.dumps(list(map(_told, piece)))
        found.append((run_id, generation, c + 1, c + len(piece), piece[0].at, piece[-1].at, pack(body)))
        c += len(piece)
    return found


def write_packs(rows: Sequence[tuple[Any, ...]]) -> None:
    """Write them, all in one transaction."""
    with transaction.atomic():
        bulk.insert(ChangePack, rows)


def _told(change: Change) -> tuple[Any, ...]:
    """The values of `bulk.CHANGE` but for the change's place."""
    at, ref, op, table, key, fields = change
    return at, ref[:200], op, table, orjson.dumps(key).decode(), orjson.dumps(fields).decode()


def apply(tables: Tables, found: Iterable[tuple[Any, ...]]) -> Tables:
    """Fold records onto tables, in place; records of other tables are left out."""
    for _, _, _, op, table, key, fields in found:
        rows = tables.get(table)
        if rows is None:
            continue
        if op == "put":
            rows.setdefault(orjson.loads(key), {}).update(orjson.loads(fields))
        elif op == "drop":
            rows.pop(orjson.loads(key), None)
    return tables


def tables_at(run_id: int, generation: int, c: int, names: Collection[str] | None = None) -> Tables:
    """The tables after change `c`, from the nearest keyframe; with `names` only those."""
    nothing: Tables = {name: {} for name in names or TABLES}
    tables, after = keyframes.tables(run_id, generation, c, names) or (nothing, 0)
    return apply(tables, records.between(run_id, generation, after, c))


def difference(old: Tables, new: Mapping[str, Mapping[Any, Mapping[str, Any]]], at: int, ref: str) -> list[Change]:
    """The changes that lead from `old` to `new`: what heals a log after a crash or after events too late to rewind to."""
    changes: list[Change] = []
    for table in sorted(set(old) | set(new)):
        before, after = old.get(table, {}), new.get(table, {})
        changes += [Change(at, ref, "drop", table, key, {}) for key in before if key not in after]
        for key, fields in after.items():
            known = before.get(key)
            changed = (
                dict(fields) if known is None else {n: v for n, v in fields.items() if n not in known or known[n] != v}
            )
            if changed or known is None:
                changes.append(Change(at, ref, "put", table, key, changed))
    return changes

"""Change records as they go over the wire: `[c,at,ref,op,table,key,fields]`, key and fields as they are stored."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson
from django.db import connection

from trajectories.models import Change, ChangePack
from trajectories.models.packing import unpack

Record = tuple[Any, ...]


def between(run_id: int, generation: int, after: int, upto: int | None = None) -> Iterator[Record]:
    """(c, at, ref, op, table, key text, fields text) with after < c <= upto. A log is in packs, or in rows while it is written live."""
    found = Change.objects.filter(run_id=run_id, generation=generation, c__gt=after)
    packs = ChangePack.objects.filter(run_id=run_id, generation=generation, last_c__gt=after)
    if upto is not None:
        found, packs = found.filter(c__lte=upto), packs.filter(c__lte=upto)
    for first, body in packs.order_by("c").values_list("c", "body").iterator(20):
        for c, change in enumerate(orjson.loads(unpack(body)), first):
            if c > after and (upto is None or c <= upto):
                yield (c, *change)
    yield from found.order_by("c").values_list("c", "at", "ref", "op", "table", "key", "fields").iterator(2000)


def fresh(run_id: int, generation: int, after: int, upto: int) -> list[Record]:
    """The same of a log that is being written: what the hub reads four times a second. A query built anew cost ten times the reading."""
    with connection.cursor() as cursor:
        cursor.execute(_fresh(), (run_id, generation, after, upto))
        rows: list[Record] = cursor.fetchall()
    # Dense from 1: fewer rows than places means that they were packed meanwhile.
    return rows if len(rows) == upto - after else list(between(run_id, generation, after, upto))


@cache
def _fresh() -> str:
    quoted = connection.ops.quote_name
    names = ", ".join(map(quoted, ("c", "at", "ref", "op", "table", "key", "fields")))
    return f"SELECT {names} FROM {quoted(Change._meta.db_table)} WHERE run_id = %s AND generation = %s AND c > %s AND c <= %s ORDER BY c"  # noqa: S608


def last_at(run_id: int, generation: int, at: int) -> int:
    """The last change of a settled log with time <= `at`; 0 if there is none."""
    packs = ChangePack.objects.filter(run_id=run_id, generation=generation, at__lte=at).order_by("-c")
    for first, body in packs.values_list("c", "body")[:1]:
        return first - 1 + bisect_right(orjson.loads(unpack(body)), at, key=lambda change: change[0])
    found = Change.objects.filter(run_id=run_id, generation=generation, at__lte=at).order_by("-c")
    return found.values_list("c", flat=True).first() or 0


def text(record: Record) -> str:
    """One record as JSON text."""
    c, at, ref, op, table, key, fields = record
    return f'[{c},{at},{orjson.dumps(ref).decode()},"{op}","{table}",{key},{fields}]'

"""Change records as they go over the wire: `[c,at,ref,op,table,key,fields]`, key and fields as they are stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from trajectories.models import Change

Record = tuple[Any, ...]


def between(run_id: int, generation: int, after: int, upto: int | None = None) -> Iterator[Record]:
    """(c, at, ref, op, table, key text, fields text) with after < c <= upto."""
    found = Change.objects.filter(run_id=run_id, generation=generation, c__gt=after)
    if upto is not None:
        found = found.filter(c__lte=upto)
    return found.order_by("c").values_list("c", "at", "ref", "op", "table", "key", "fields").iterator(2000)


def text(record: Record) -> str:
    """One record as JSON text."""
    c, at, ref, op, table, key, fields = record
    return f'[{c},{at},{orjson.dumps(ref).decode()},"{op}","{table}",{key},{fields}]'

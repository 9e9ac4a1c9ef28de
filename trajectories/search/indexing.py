"""The index of a run: sealed part by part as events come; what is not sealed yet is read from the events themselves."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from heapq import merge
from itertools import islice
from typing import Any

import orjson
from django.db import IntegrityError, transaction
from django.db.models import Max

from trajectories.models import EventRow, Pack, SearchPart, Stream
from trajectories.models.packed import rows_of
from trajectories.search.documents import TEXTS, Document, document
from trajectories.search.parts import SIZE, packed

ROWS = tuple(kind for kind in TEXTS if kind != "step.started")
_COLUMNS = ("n", "at", "kind", "worker", "actor", "fields")


def upto(run_id: int) -> int:
    """The number of the last event that is in the index."""
    return SearchPart.objects.filter(run_id=run_id).aggregate(upto=Max("upto"))["upto"] or 0


def documents(run_id: int, after: int, last: int) -> Generator[Document, None, None]:
    """The documents of events `after` < n <= `last`, in order of arrival."""
    rows = EventRow.objects.filter(run_id=run_id, n__gt=after, n__lte=last, kind__in=ROWS).order_by("n")
    said = (
        document(n, at, kind, worker, actor, orjson.loads(fields))
        for n, at, kind, worker, actor, fields in rows.values_list(*_COLUMNS).iterator(2000)
    )
    packs = Pack.objects.filter(
        run_id=run_id, n__gte=_pack_with(run_id, after), last_n__gt=after, n__lte=last
    ).order_by("n")
    steps = _steps(packs.values_list("n", "worker", "body").iterator(200), after, last)
    yield from merge((doc for doc in said if doc), steps, key=_number)


def _pack_with(run_id: int, n: int) -> int:
    """The first number of the last pack that begins by `n`: what follows is then found without a look at all before it."""
    found = Pack.objects.filter(run_id=run_id, n__lte=n).order_by("-n").values_list("n", flat=True)[:1]
    return next(iter(found), 0)


def _steps(packs: Any, after: int, last: int) -> Generator[Document, None, None]:
    for first, worker, body in packs:
        raw = rows_of(body)
        if b'"step.started"' not in raw:
            continue
        for d, at, _, _, kind, fields in orjson.loads(raw):
            if kind == "step.started" and after < first + d <= last:
                found = document(first + d, at, kind, worker, None, fields)
                if found:
                    yield found


def _number(doc: Document) -> int:
    return doc.n


def catch_up(run_id: int, *, seal: bool = False) -> int:
    """Put every full part into the index, with `seal` the rest as well; returns how many documents went in.

    Safe to call from anywhere, again and at once: a part that another process wrote meanwhile ends the work here.
    """
    after, last = upto(run_id), Stream.of(run_id).n
    if last - after < (1 if seal else SIZE):
        return 0
    done = 0
    while True:
        # Read to its end or closed before anything is written: on SQLite who still reads cannot write once somebody else has written, and is
        # told so at once however long it would wait.
        with closing(documents(run_id, after, last)) as found:
            waiting = list(islice(found, SIZE))
        full = len(waiting) == SIZE
        if not waiting or not (full or seal):
            return done
        upto_n = waiting[-1].n if full else last
        if not _write(run_id, after, upto_n, waiting):
            return done
        after, done = upto_n, done + len(waiting)
        if not full:
            return done


def rebuild(run_id: int) -> int:
    """Forget the run's index and make it again; returns how many documents it holds."""
    SearchPart.objects.filter(run_id=run_id).delete()
    return catch_up(run_id, seal=True)


def _write(run_id: int, after: int, last: int, found: list[Document]) -> bool:
    times = [doc.at for doc in found]
    facts = {"upto": last, "at": min(times), "last_at": max(times), "count": len(found), **packed(found)}
    try:
        with transaction.atomic():
            SearchPart.objects.create(run_id=run_id, n=after + 1, **facts)
    except IntegrityError:
        return False
    return True

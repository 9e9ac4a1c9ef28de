"""The index of a run: sealed part by part as events come; what is not sealed yet is read from the events themselves."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
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


def documents(run_id: int, after: int, last: int) -> Iterator[Document]:
    """The documents of events `after` < n <= `last`, in order of arrival."""
    rows = EventRow.objects.filter(run_id=run_id, n__gt=after, n__lte=last, kind__in=ROWS).order_by("n")
    said = (
        document(n, at, kind, worker, actor, orjson.loads(fields))
        for n, at, kind, worker, actor, fields in rows.values_list(*_COLUMNS).iterator(2000)
    )
    packs = Pack.objects.filter(run_id=run_id, last_n__gt=after, n__lte=last).order_by("n")
    steps = _steps(packs.values_list("n", "worker", "body").iterator(200), after, last)
    return merge((doc for doc in said if doc), steps, key=_number)


def _steps(packs: Any, after: int, last: int) -> Iterator[Document]:
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
    waiting: list[Document] = []
    done = 0
    for doc in documents(run_id, after, last):
        waiting.append(doc)
        if len(waiting) == SIZE:
            if not _write(run_id, after, doc.n, waiting):
                return done
            after, done, waiting = doc.n, done + SIZE, []
    if seal and waiting and _write(run_id, after, last, waiting):
        done += len(waiting)
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

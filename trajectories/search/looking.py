"""Looking through one run, newest first by time: parts that may hold the words, then within them. Stops when its time is up and says so."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from trajectories.models import SearchPart, Stream
from trajectories.models.packing import unpack
from trajectories.models.reading import by_number
from trajectories.models.roster import roster
from trajectories.search.documents import KINDS
from trajectories.search.grams import may_hold
from trajectories.search.indexing import documents, upto
from trajectories.search.parts import Part, columns, unpacked
from trajectories.search.query import Term

Edge = tuple[int, int]  # time, number
Kept = tuple[int, int, Part, Any, int]  # time, number, part, its texts or where they are, row
FEW = 48  # candidates that are looked at one by one rather than all texts at once


@dataclass(frozen=True, slots=True)
class Filters:
    """Who, what and when; None and empty = any. Times in ms; `before` = only what was before the event of that number."""

    worker: int | None = None
    kinds: frozenset[str] = frozenset()
    since: int | None = None
    until: int | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One document found."""

    n: int
    at: int
    kind: str
    worker: int | None
    actor: str | None
    text: str


@dataclass(slots=True)
class Found:
    """`hits` newest first; `count` of all, and by kind whatever kinds were asked for; `complete` = everything was looked at."""

    hits: list[Hit] = field(default_factory=list)
    count: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    complete: bool = True


def look(run_id: int, terms: Sequence[Term], filters: Filters, limit: int, until: float) -> Found:
    """Search one run until this thread has worked until `until` (time.thread_time)."""
    found, kept = Found(), list[Kept]()
    known, edge = roster(run_id), _edge(run_id, filters.before)
    for part, shown in _parts(run_id, terms, filters, edge):
        if time.thread_time() > until:
            found.complete = False
            break
        if part is not None:
            rows = _look_at(part, terms, filters, edge, known, found)
            kept = _newest(kept, part, shown, rows, limit)
    texts: dict[Any, list[str]] = {}
    for _, _, part, shown, row in kept:
        if not isinstance(shown, list):
            shown = texts.get(shown) or texts.setdefault(shown, _texts(shown))
        found.hits.append(_hit(part, row, KINDS[part.kind[row]], shown[int(part.text[row])], known))
    return found


def _edge(run_id: int, before: int | None) -> Edge | None:
    """(time, number) of the event to go on before; of a number that is none, the beginning."""
    if before is None:
        return None
    event = by_number(run_id, before)
    return (event.at, before) if event is not None else (-(2**62), 0)


def _newest(kept: list[Kept], part: Part, shown: Any, rows: NDArray[np.int64], limit: int) -> list[Kept]:
    """The newest of what was kept and of these rows, newest first."""
    if not len(rows):
        return kept
    order = np.lexsort((part.n[rows], part.at[rows]))[::-1][:limit]
    fresh = [(int(part.at[row]), int(part.n[row]), part, shown, int(row)) for row in rows[order]]
    return sorted([*kept, *fresh], key=lambda each: each[:2], reverse=True)[:limit]


def _parts(
    run_id: int, terms: Sequence[Term], filters: Filters, edge: Edge | None
) -> Iterator[tuple[Part | None, Any]]:
    """Newest first: what is not in the index yet, then the parts that may hold every term."""
    done = upto(run_id)
    fresh = list(documents(run_id, done, Stream.of(run_id).n))
    if fresh:
        yield columns(fresh)
    rows = SearchPart.objects.filter(run_id=run_id)
    if filters.since is not None:
        rows = rows.filter(last_at__gte=filters.since)
    if filters.until is not None:
        rows = rows.filter(at__lte=filters.until)
    if edge is not None:
        rows = rows.filter(at__lte=edge[0])
    for n, grams in rows.order_by("-last_at", "-n").values_list("n", "grams").iterator(50):
        bitmap = unpack(grams)
        if not all(may_hold(bitmap, term.text) for term in terms if not term.absent):
            yield None, None
            continue
        body = SearchPart.objects.filter(run_id=run_id, n=n).values_list("body", flat=True).first()
        if body is not None:
            yield unpacked(body), (run_id, n)


def _look_at(
    part: Part, terms: Sequence[Term], filters: Filters, edge: Edge | None, known: dict[str, int], found: Found
) -> NDArray[np.int64]:
    """The rows of a part that were asked for; they are counted."""
    mask = _mask(part, filters, edge, known)
    candidates = np.unique(part.text[mask])
    rest = terms
    if len(candidates) > FEW:
        for term in (term for term in terms if not term.absent):
            candidates = np.intersect1d(candidates, _texts_with(part, term.text))
        rest = [term for term in terms if term.absent or term.whole]
    good = np.zeros(len(part.starts), dtype=np.bool_)
    if rest:
        for text in candidates:
            folded = part.folded(int(text))
            good[text] = all(term.is_in(folded) != term.absent for term in rest)
    else:
        good[candidates] = True
    mask &= good[part.text]
    counts = np.bincount(part.kind[mask], minlength=len(KINDS))
    found.kinds.update({kind: int(count) for kind, count in zip(KINDS, counts, strict=True) if count})
    if filters.kinds:
        mask &= np.isin(part.kind, [KINDS.index(kind) for kind in filters.kinds])
    rows = np.flatnonzero(mask)
    found.count += len(rows)
    return rows


def _texts(shown: Any) -> list[str]:
    """The texts of a part as people read them."""
    body = SearchPart.objects.filter(run_id=shown[0], n=shown[1]).values_list("shown", flat=True).get()
    return orjson.loads(unpack(body))  # type: ignore[no-any-return]


def _mask(part: Part, filters: Filters, edge: Edge | None, known: dict[str, int]) -> NDArray[np.bool_]:
    mask = np.ones(len(part.n), dtype=np.bool_)
    if filters.worker is not None:
        mine = [-1 - k for k, actor in enumerate(part.actors) if known.get(actor) == filters.worker]
        mask &= np.isin(part.who, [filters.worker, *mine])
    if filters.since is not None:
        mask &= part.at >= filters.since
    if filters.until is not None:
        mask &= part.at <= filters.until
    if edge is not None:
        mask &= (part.at < edge[0]) | ((part.at == edge[0]) & (part.n < edge[1]))
    return mask


def _texts_with(part: Part, words: str) -> NDArray[np.int64]:
    """The texts that hold these words, by one walk through all of them."""
    wanted, blob = words.encode(), part.blob
    places: list[int] = []
    at = blob.find(wanted)
    while at >= 0:
        places.append(at)
        at = blob.find(wanted, blob.index(b"\x00", at))
    return np.searchsorted(part.starts, np.array(places, dtype=np.int64), side="right") - 1


def _hit(part: Part, row: int, kind: str, text: str, known: dict[str, int]) -> Hit:
    who = int(part.who[row])
    actor = part.actors[-1 - who] if who < 0 else None
    worker = who if who > 0 else known.get(actor or "")
    return Hit(int(part.n[row]), int(part.at[row]), kind, worker, actor, text)

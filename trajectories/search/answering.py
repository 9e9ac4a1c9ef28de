"""Answers to a search: hits with the words marked and the moment they lead to, of one run or of every run a person may see."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from runs.models import Run
from trajectories.models import Stream
from trajectories.search.folding import places
from trajectories.search.looking import Filters, Found, Hit, look
from trajectories.search.query import Term

BUDGET_S = 0.6  # of this thread's own work, so that a busy machine does not make the answer a smaller one
EACH = 5  # hits of one run when all are searched
AROUND = 110  # characters around the first hit
LONGEST = 320


@dataclass(slots=True)
class OfRun:
    """What one run answered. `hits` are JSON values, newest first."""

    run: Run
    count: int
    complete: bool
    kinds: dict[str, int]
    hits: list[dict[str, Any]] = field(default_factory=list)


def search(
    runs: Iterable[Run],
    terms: Sequence[Term],
    filters: Filters,
    limit: int,
    seconds: tuple[float | None, float | None] = (None, None),
) -> tuple[list[OfRun], list[Run]]:
    """(runs with hits, runs that no time was left for). `seconds` = from and to, since each run's start. The runs are ones the caller may see."""
    until = time.thread_time() + BUDGET_S
    found, left = [], []
    for run in runs:
        if time.thread_time() > until:
            left.append(run)
            continue
        zero = Stream.of(run.pk).t0 or 0
        since, to = ((None if s is None else zero + round(s * 1000)) for s in seconds)
        narrowed = Filters(filters.worker, filters.kinds, since, to, filters.before)
        told = look(run.pk, terms, narrowed, limit, until)
        if told.count or told.kinds or not told.complete:
            found.append(_told(run, told, zero, terms))
    return found, left


def _told(run: Run, told: Found, zero: int, terms: Sequence[Term]) -> OfRun:
    hits = [_hit(run, hit, zero, terms) for hit in told.hits]
    return OfRun(run, told.count, told.complete, dict(told.kinds), hits)


def _hit(run: Run, hit: Hit, zero: int, terms: Sequence[Term]) -> dict[str, Any]:
    t = (hit.at - zero) / 1000
    asked: dict[str, Any] = {"t": f"{max(0.0, t):.3f}"}
    if hit.worker:
        asked["w"] = hit.worker
    asked["ev"] = f"n:{hit.n}"
    pieces, cut = marked(hit.text, terms)
    url = f"/runs/{run.slug}/replay?{urlencode(asked, safe=':')}"
    answer = {"run": run.slug, "n": hit.n, "t": t, "kind": hit.kind, "worker": hit.worker, "actor": hit.actor}
    if hit.kind in ("step", "turn") and hit.worker:
        answer["transcript"] = f"/runs/{run.slug}/workers/{hit.worker}/transcript?t={t:.3f}"
    return {**answer, "url": url, "pieces": pieces, "cut": cut}


def marked(text: str, terms: Sequence[Term]) -> tuple[list[tuple[str, bool]], bool]:
    """The text around the first hit in pieces, `(text, is a hit)`, and whether something was left out, which "…" stands for."""
    folded, origin = places(text)
    spans = sorted(span for term in terms if not term.absent for span in _spans(term, folded, origin))
    start = _word(text, max(0, spans[0][0] - AROUND), spans[0][0]) if spans else 0
    end = min(len(text), start + LONGEST)
    pieces: list[tuple[str, bool]] = [("…", False)] if start else []
    at = start
    for first, last in spans:
        if first >= end:
            break
        if last <= at:
            continue
        first = max(first, at)
        if first > at:
            pieces.append((text[at:first], False))
        pieces.append((text[first : min(last, end)], True))
        at = min(last, end)
    if at < end:
        pieces.append((text[at:end], False))
    if end < len(text):
        pieces.append(("…", False))
    return pieces, start > 0 or end < len(text)


def _word(text: str, start: int, most: int) -> int:
    """Where a word begins at or after `start`; `start` itself if none does before `most`."""
    if start == 0:
        return 0
    return next((at for at in range(start, most) if text[at - 1].isspace()), start)


def _spans(term: Term, folded: str, origin: list[int]) -> Iterable[tuple[int, int]]:
    at, count = term.found(folded), 0
    while at >= 0 and count < 40:
        yield origin[at], origin[at + len(term.text) - 1] + 1
        at, count = term.found(folded, at + len(term.text)), count + 1

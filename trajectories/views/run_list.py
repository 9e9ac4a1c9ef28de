"""`/`: every run in a row, its score and its losses, with filter, sort and groups; the empty state leads to the demo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs import figures
from runs.access import gate
from runs.models import Run
from trajectories import bringing
from trajectories.baselines import baselines, kind
from trajectories.pricing import priced
from trajectories.summary import Summary, of_runs
from trajectories.views.spark import Spark, spark

PAGE = 50
LIVE = ("draft", "preflight", "starting", "running", "stopping", "importing")
SHOWN = {"all": None, "live": LIVE, "ended": ("ended",), "failed": ("failed", "cancelled")}
SORTS = {"newest": "newest first", "score": "best score", "cost": "highest cost", "workers": "largest team"}
SORTED_MOST = 500  # sorting by a derived figure reads the State of so many runs at most


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the list."""

    run: Run
    summary: Summary
    seconds: float | None  # running for, or lasted
    spark: Spark | None
    over_ppm: int | None  # score over the single-agent baseline of the same task and model
    baseline: bool


@require_safe
@gate("viewer")
def run_list(request: HttpRequest) -> HttpResponse:
    """The list, newest first."""
    query, show, sort = (
        request.GET.get("q", "").strip()[:200],
        request.GET.get("show", "all"),
        request.GET.get("sort", "newest"),
    )
    show, sort = show if show in SHOWN else "all", sort if sort in SORTS else "newest"
    group = request.GET.get("group", "")[:80]
    found = _matching(query, group)
    counts = {
        name: found.filter(status__in=states).count() if states else found.count() for name, states in SHOWN.items()
    }
    wanted = found.filter(status__in=SHOWN[show]) if SHOWN[show] else found
    number = request.GET.get("page", "1")
    page = max(1, min(int(number), 10_000)) if number.isascii() and number.isdigit() and len(number) < 6 else 1
    lines = _lines(wanted[:SORTED_MOST] if sort != "newest" else wanted[(page - 1) * PAGE : page * PAGE])
    if sort != "newest":
        lines = sorted(lines, key=lambda line: _rank(line, sort), reverse=True)[(page - 1) * PAGE : page * PAGE]
    context = {
        "lines": lines,
        "counts": counts,
        "shows": [(name, name.capitalize(), counts[name]) for name in SHOWN],
        "show": show,
        "sort": sort,
        "sorts": SORTS.items(),
        "q": query,
        "group": group,
        "page": page,
        "more": (counts[show] if sort == "newest" else min(counts[show], SORTED_MOST)) > page * PAGE,
        "sorted_of": SORTED_MOST if sort != "newest" and counts[show] > SORTED_MOST else None,
        "any": counts["all"] or Run.objects.exists(),
        "big_run": bringing.big_job(),
        "live": any(not line.run.is_final for line in lines),
    }
    template = "trajectories/_run_rows.html" if request.headers.get("HX-Request") else "trajectories/run_list.html"
    return render(request, template, context)


def _matching(query: str, group: str) -> QuerySet[Run]:
    runs = Run.objects.all()
    if group:
        runs = runs.filter(group=group)
    for word in query.split()[:8]:
        hit = Q(name__icontains=word) | Q(slug__icontains=word) | Q(task__icontains=word) | Q(group__icontains=word)
        hit |= Q(spec__model__icontains=word) | Q(status__iexact=word) | Q(origin__iexact=word)
        if word.isascii() and word.isdigit() and len(word) < 6:
            hit |= Q(spec__workers=int(word))
        runs = runs.filter(hit)
    return runs


def _lines(runs: Iterable[Run]) -> list[Line]:
    found = list(runs)
    bases = baselines(found)
    shown = {run.pk: run for run in (*found, *bases.values())}
    summaries = priced(shown, of_runs(list(shown)))
    lines = []
    for run in found:
        summary = summaries[run.pk]
        base = bases.get(kind(run))
        is_base = run.spec.get("peers") is False
        against = summaries[base.pk] if base and not is_base else None
        over = None
        if against and run.is_final and summary.rate_ppm is not None and against.rate_ppm is not None:
            over = summary.rate_ppm - against.rate_ppm
        lines.append(
            Line(
                run=run,
                summary=summary,
                seconds=_seconds(run),
                spark=spark(summary.scores, against.scores if against else (), _whole(run.spec.get("duration_s"))),
                over_ppm=over,
                baseline=is_base,
            )
        )
    return lines


def _seconds(run: Run) -> float | None:
    if run.started_at is None:
        return None
    return ((run.ended_at or timezone.now()) - run.started_at).total_seconds()


def _rank(line: Line, sort: str) -> tuple[int, int]:
    value = {
        "score": line.summary.rate_ppm,
        "cost": line.summary.cost_microusd,
        "workers": _whole(line.run.spec.get("workers")) or line.summary.workers,
    }[sort]
    return (0, 0) if value is None else (1, int(value))


def _whole(value: Any) -> int | None:
    return int(value) if figures.known(value) else None

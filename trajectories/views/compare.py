"""`/compare?runs=a,b`: runs side by side, what makes them unlike first, and their pass rates laid over each other."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs import figures
from runs.access import gate
from runs.models import Run
from runs.templatetags.agent_text import visible
from trajectories.pricing import priced
from trajectories.reducers.behaviours import BEHAVIOURS
from trajectories.summary import Summary, of_runs

MOST, CHOICE = 12, 100  # runs side by side, others to choose from
# What must be equal for the figures below to say anything about the team alone: word, spec field.
ALIKE = (
    ("model", "model"),
    ("effort", "effort"),
    ("duration", "duration_s"),
    ("checkpoint interval", "checkpoint_s"),
    ("input tokens a request", "input_tokens"),
    ("output tokens a request", "output_tokens"),
)


@require_safe
@gate("viewer")
def compare(request: HttpRequest) -> HttpResponse:
    """The table and the chart; without runs, the list to choose from."""
    names = [name for given in request.GET.getlist("runs") for name in given.split(",") if name][: MOST * 2]
    if len(names) == 1 and (group := Run.objects.filter(slug=names[0]).values_list("group", flat=True).first()):
        names += Run.objects.filter(group=group).exclude(slug=names[0]).values_list("slug", flat=True)[: MOST - 1]
    by_slug = {run.slug: run for run in Run.objects.filter(slug__in=names)}
    asked = [by_slug[name] for name in dict.fromkeys(names) if name in by_slug]
    runs, others = asked[:MOST], Run.objects.exclude(slug__in=[run.slug for run in asked[:MOST]])
    summaries = priced({run.pk: run for run in runs}, of_runs([run.pk for run in runs]))
    pairs = [(run, summaries[run.pk]) for run in runs]
    context = {
        "runs": runs,
        "unknown": [name for name in dict.fromkeys(names) if name not in by_slug],
        "unlike": unlike(pairs),
        "rows": rows(pairs),
        "priced": bool(pairs) and all(_priced(summary) for _, summary in pairs),
        "chart": {"series": [series(run, summary) for run, summary in pairs]},
        "left_out": asked[MOST:],
        "choice": others[:CHOICE],
        "choice_count": others.count(),
    }
    return render(request, "trajectories/compare.html", context)


def unlike(pairs: list[tuple[Run, Summary]]) -> list[str]:
    """Sentences about what differs besides the team: a reader must know before reading the scores."""
    if len(pairs) < 2:
        return []
    found = []
    if len({run.task for run, _ in pairs}) > 1:
        found.append("They worked on different tasks: scores do not compare.")
    totals = {summary.total for _, summary in pairs if summary.total}
    if len(totals) > 1:
        found.append(f"They were scored by different numbers of tests ({', '.join(f'{n:,}' for n in sorted(totals))}).")
    words = [word for word, name in ALIKE if len({str(run.spec.get(name)) for run, _ in pairs}) > 1]
    if words:
        found.append(f"They differ in {', '.join(words)}.")
    origins = {"simulated" if run.origin == "simulated" else "real" for run, _ in pairs}
    if len(origins) > 1:
        found.append("Some are simulated and some are not: simulated figures are invented.")
    if any(run.scripted for run, _ in pairs) and not all(run.scripted for run, _ in pairs):
        found.append("Some ran on the scripted model, which knows its task's solutions.")
    if any(not run.is_final for run, _ in pairs):
        found.append("At least one is not over: its figures will move.")
    return found


def rows(pairs: list[tuple[Run, Summary]]) -> list[tuple[str, list[str]]]:
    """(word, one text per run), in reading order."""
    table: list[tuple[str, list[str]]] = []

    def add(word: str, texts: list[str]) -> None:
        table.append((word, texts))

    add("Status", [run.status for run, _ in pairs])
    add("Task", [visible(run.task) or "unknown" for run, _ in pairs])
    add("Workers", [_workers(run, summary) for run, summary in pairs])
    add("Harness, model", [visible(figures.harness_words(run.spec)) for run, _ in pairs])
    add("Began", [figures.calendar(run.started_at) for run, _ in pairs])
    add("Lasted", [_lasted(run) for run, _ in pairs])
    add("Seed", [visible(str(run.spec.get("seed", "unknown"))) for run, _ in pairs])
    add("Pass rate", [figures.per_cent(summary.rate_ppm) for _, summary in pairs])
    add("Tests passed", [_of(summary) for _, summary in pairs])
    add("Best pass rate", [_best(summary) for _, summary in pairs])
    add("Half of its best after", [_half(summary) for _, summary in pairs])
    add("Checkpoints without a score", [str(summary.skipped) for _, summary in pairs])
    add("Pulls merged", [_part(summary.pulls, "merged") for _, summary in pairs])
    add("Claims landed or recovered", [_part(summary.claims, "landed", "recovered") for _, summary in pairs])
    add("Recoveries landed", [_part(summary.recoveries, "landed") for _, summary in pairs])
    add("Reviews", [f"{summary.reviews:,}" for _, summary in pairs])
    add("Workers lost", [f"{len(summary.lost):,} of {summary.workers:,}" for _, summary in pairs])
    add("Tokens in", [figures.short_number(summary.input_tokens) for _, summary in pairs])
    add("Tokens out", [figures.short_number(summary.output_tokens) for _, summary in pairs])
    add("Cost", [_cost(run, summary) for run, summary in pairs])
    add("Cost of a passed test", [_per_test(run, summary) for run, summary in pairs])
    for name in sorted({name for _, summary in pairs for name in summary.behaviours}):
        add(f"Seen: {_seen(name)}", [f"{summary.behaviours.get(name, 0):,}" for _, summary in pairs])
    add("Evaluator", [visible(str(run.provenance.get("evaluator") or "unknown")) for run, _ in pairs])
    add("Release", [visible(str(run.provenance.get("release") or "unknown"))[:12] for run, _ in pairs])
    return table


def series(run: Run, summary: Summary) -> dict[str, Any]:
    """One line of the chart: seconds and per cent from zero at the start."""
    points = [(0, 0), *summary.scores] if summary.scores else []
    return {
        "name": visible(run.name or run.slug),
        "slug": run.slug,
        "baseline": run.spec.get("peers") is False,
        "x": [at for at, _ in points],
        "y": [round(rate / 10_000, 2) for _, rate in points],
        "cost": [0, *(cost / 1_000_000 for cost in summary.costs if cost is not None)] if _priced(summary) else None,
    }


def _priced(summary: Summary) -> bool:
    """What each score had cost is known."""
    return bool(summary.costs) and None not in summary.costs


def _of(summary: Summary) -> str:
    return "no checkpoint" if summary.total is None else f"{summary.passed:,} of {summary.total:,}"


def _best(summary: Summary) -> str:
    return figures.per_cent(max((rate for _, rate in summary.scores), default=None))


def _half(summary: Summary) -> str:
    best = max((rate for _, rate in summary.scores), default=0)
    return next((figures.clock(at) for at, rate in summary.scores if best and rate * 2 >= best), "unknown")


def _part(counts: Any, *names: str) -> str:
    total = sum(counts.values())
    return f"{sum(counts.get(name, 0) for name in names):,} of {total:,}" if total else "none"


def _cost(run: Run, summary: Summary) -> str:
    if summary.cost_microusd is None:
        return "$0.00, scripted" if run.scripted else "unknown"
    return f"{figures.money(summary.cost_microusd)}{' at list price' if summary.priced else ''}"


def _seen(name: str) -> str:
    """A behaviour as the other pages name it."""
    return BEHAVIOURS[name].title.lower() if name in BEHAVIOURS else visible(name.replace("_", " "))


def _lasted(run: Run) -> str:
    """How long it went on, of how long it was to: teams end by themselves when nothing is left to do."""
    planned, until = (
        figures.clock(run.spec.get("duration_s")),
        run.ended_at or (None if run.is_final else timezone.now()),
    )
    took = (until - run.started_at).total_seconds() if until and run.started_at else None
    return f"{figures.clock(took)} of {planned}"


def _workers(run: Run, summary: Summary) -> str:
    count = summary.workers or run.spec.get("workers") or 0
    return f"{count:,}" if isinstance(count, int) else "unknown"


def _per_test(run: Run, summary: Summary) -> str:
    if summary.cost_microusd is None or not summary.passed:
        return "unknown" if not run.scripted else "$0.00"
    dollars = summary.cost_microusd / summary.passed / 1_000_000
    return f"${dollars:,.2f}" if dollars >= 1 or not dollars else f"${dollars:,.4f}"

"""From Launch to the first turn: the named phases with their times, while they happen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from runs.backends import backend_of
from runs.backends.files import tail
from runs.folder import RunFolder
from runs.models import Run, RunEvent
from runs.plan import service_names
from runs.services.choosing import in_words
from runs.team import spec_of

# phase: title, what is seen while it lasts
PHASES = {
    "preflight": ("Preflight", "what the backend needs"),
    "services": ("Services", ""),
    "bootstrap": ("Repository and accounts", "main seeded, accounts and tokens for every worker"),
    "workers": ("Workers joining", "each with tokens of its own"),
    "stopping": ("Stopping", "last merges, final score"),
    "draining": ("Draining", "every feed read to its end"),
}
LINES = 5
LAUNCH = ("preflight", "services", "bootstrap", "workers")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the small Gantt: `a` and `b` are its ends in per cent of what is drawn."""

    title: str
    note: str
    state: str  # done, now, todo, failed
    seconds: float | None
    a: float
    b: float
    of: tuple[int, int] | None = None  # done, of how many
    lines: tuple[tuple[str, str], ...] = ()  # of services that do not answer yet: name, last words


@require_safe
@gate("viewer")
def launching(request: HttpRequest, slug: str) -> HttpResponse:
    """The page: it polls `phases` and moves on to the live page when the first worker has joined."""
    run = visible_run(request, slug)
    return render(request, "runs/launching.html", {"run": run, **_phases(run)})


@require_safe
@never_cache
@gate("viewer")
def phases(request: HttpRequest, slug: str) -> HttpResponse:
    """The fragment. Once the team works, htmx is sent to the live page."""
    run = visible_run(request, slug)
    found = _phases(run)
    answer = render(request, "runs/_phases.html", {"run": run, **found})
    if found["joined"] or run.status in {"stopping", "ended"}:
        answer.headers["HX-Redirect"] = f"/runs/{run.slug}/"
    return answer


def _phases(run: Run) -> dict[str, Any]:
    events = list(run.run_events.filter(kind__in=["run.phase_changed", "service.started", "worker.joined"]))
    joined = sum(e.kind == "worker.joined" for e in events)
    services = [str(e.fields.get("service")) for e in events if e.kind == "service.started"]
    now = run.ended_at or timezone.now()
    start = run.created_at.timestamp()
    total = max(now.timestamp() - start, 0.1)
    return {
        "rows": _rows(run, events, start, now.timestamp(), services, joined),
        "seconds": total,
        "joined": joined,
        "over": run.is_final,
        "elsewhere": run.origin != "recorded" and not events,
    }


def _rows(run: Run, events: list[RunEvent], start: float, now: float, services: list[str], joined: int) -> list[Row]:
    begun = [(str(e.fields["phase"]), e.at / 1000) for e in events if e.kind == "run.phase_changed"]
    ends = [*(at for _, at in begun[1:]), now][: len(begun)]
    seen = {phase: (at, end) for (phase, at), end in zip(begun, ends, strict=True)}
    last = begun[-1][0] if begun else ""
    scale = max(now - start, 2.0) * 1.25  # room for what is to come
    rows = []
    for phase in [*LAUNCH, *(p for p, _ in begun if p not in LAUNCH)]:
        title, note = PHASES.get(phase, (phase.capitalize(), ""))
        if phase == "services" and services:
            note = f"{', '.join(services)} up"
        elif phase == "services" and run.origin == "recorded":
            note = in_words(service_names(spec_of(run)), run.monitor.get("real", []))
        if phase == "workers" and phase in seen:
            note = f"{joined} of {run.spec.get('workers', '?')} joined"
        of = (
            (joined, int(run.spec["workers"]))
            if phase == "workers" and phase == last and run.spec.get("workers")
            else None
        )
        if phase == "bootstrap" and phase == last:
            note = str(run.monitor.get("progress") or note)
            of = tuple(run.monitor.get("progress_of") or ()) or None
        if phase not in seen:
            rows.append(Row(title, note if not run.is_final else "not reached", "todo", None, 0, 0))
            continue
        at, end = seen[phase]
        state = "done" if phase != last or run.status == "ended" else "now"
        if phase == last and run.status in {"failed", "cancelled"}:
            state = "failed"
        lines: tuple[tuple[str, str], ...] = ()
        if phase == "services" and phase == last and state != "done":
            at_work = backend_of(run).progress(RunFolder.of(run.slug).path)
            note = "; ".join(filter(None, (note if services else "", at_work))) or note
            lines = tuple(_last_words(run, set(services)))
        a, b = (100 * max(0.0, t - start) / scale for t in (at, end))
        rows.append(Row(title, note, state, max(0.0, end - at), round(a, 2), round(max(b, a + 0.5), 2), of, lines))
    return rows


def _last_words(run: Run, up: set[str]) -> Iterator[tuple[str, str]]:
    """Of each service that does not answer yet, the end of what it printed."""
    folder = RunFolder.of(run.slug)
    for place in sorted((folder.path / "services").glob("*")):
        if place.name not in up and (said := tail(place / "log.txt", 1_500).strip()):
            yield place.name, "\n".join(said.splitlines()[-LINES:])

"""`/runs/{run}/export`: what can be taken away, with filters, as buttons."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from runs.folder import RunFolder
from runs.models import Run
from trajectories.export import EVENTS, READINGS, BadFilter, Filters, file_forms
from trajectories.export.filters import CHOICES
from trajectories.ledger import COUNTED
from trajectories.newest import newest
from trajectories.reducers import TABLES
from trajectories.views.ran import what_ran

NAMES = ("worker", "kind", "since", "until", "q", *CHOICES)
TOLD = {
    "summary": "The sentences of the summary, each with its references",
    "ledger.claims": "Every claim: who, what, how long it was held, what became of it",
    "ledger.pulls": "Every pull: author, reviews in order, who merged it, its fate",
    "behaviours.seen": "Each behaviour: first seen, how often, and the team size in the paper",
    "team.trust": "Each author and reviewer: asked, stood, withdrawn, trusted since",
    "team.integrators": "Merges by who merged them, step by step",
    "team.fates": "Pulls by when they were opened and what became of them",
    "team.roles": "Every role that emerged, from when to when",
    "team.recoveries": "Every chain of loss and take-over",
    "team.overlaps": "Every overlap of two claims and how it was settled",
    "team.collisions": "Overlaps and conflicts by time, and by path",
    "team.waste": "Every effort that came to nothing, with its minutes",
    "team.handovers": "Pulls about which several peers were asked",
    "team.withdrawn": "Every approval taken back, with its counterexample",
}


@require_safe
@gate("viewer")
def export_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The filters as asked for, and every file they lead to."""
    run = visible_run(request, slug)
    typed = {name: request.GET.get(name, "")[:300] for name in NAMES}
    fault, query = "", ""
    try:
        query = Filters.read(typed).query()
    except BadFilter as problem:
        fault = str(problem)
    state = newest(run)
    base = f"/api/v1/runs/{run.slug}/export?"
    forms = file_forms()

    def link(**asked: str) -> str:
        return base + "&".join([*(f"{name}={value}" for name, value in asked.items()), *([query] if query else [])])

    def row(name: str, count: int) -> dict[str, Any]:
        return {"name": name, "count": count, "links": [(word, link(form=form, table=name)) for form, word in forms]}

    tables = [row(name, len(state.tables[name])) for name in TABLES if state.tables[name]]
    context = {
        "run": run,
        "tab": "export",
        "typed": typed,
        "fault": fault,
        "query": query,
        "tables": [row(EVENTS, state.n), *sorted(tables, key=lambda each: each["name"])],
        "told": [{**row(name, 0), "words": TOLD[name]} for name in READINGS],
        "ledger_filters": [(name, typed[name]) for name in ("q", *CHOICES) if typed[name]],
        "perfetto": link(form="perfetto"),
        "otlp": link(form="otlp"),
        "workers": len(state.tables["workers"]),
        "submission": RunFolder.of(run.slug).submission.is_file(),
        "counted": _counted(run),
        "ran": what_ran(run),
        "interrupted": run.provenance.get("salvaged", {}).get("interrupted"),
    }
    return render(request, "trajectories/export.html", context, status=422 if fault else 200)


def _counted(run: Run) -> dict[str, Any] | None:
    """What the sources held against what is stored, as it was counted at the end; None where nobody counted."""
    told = run.provenance.get("counted") or {}
    if not told.get("sources"):
        return {"why": told["why"]} if told.get("why") else None
    rows = told["sources"]
    whole = {word: sum(row[word] for row in rows.values()) for word in COUNTED}
    return {**whole, "sources": rows, "whole": not (whole["lost"] or whole["doubled"])}

"""`/runs/{run}/export`: what can be taken away, with filters, as buttons."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.export import EVENTS, TABULAR, BadFilter, Filters
from trajectories.newest import newest
from trajectories.reducers import TABLES

NAMES = ("worker", "kind", "since", "until")


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
    forms = [form for form in TABULAR if form != "parquet" or find_spec("pyarrow")]

    def link(**asked: str) -> str:
        return base + "&".join([*(f"{name}={value}" for name, value in asked.items()), *([query] if query else [])])

    def row(name: str, count: int) -> dict[str, Any]:
        return {"name": name, "count": count, "links": [(form, link(form=form, table=name)) for form in forms]}

    tables = [row(name, len(state.tables[name])) for name in TABLES if state.tables[name]]
    context = {
        "run": run,
        "tab": "export",
        "typed": typed,
        "fault": fault,
        "query": query,
        "tables": [row(EVENTS, state.n), *sorted(tables, key=lambda each: each["name"])],
        "perfetto": link(form="perfetto"),
        "otlp": link(form="otlp"),
        "workers": len(state.tables["workers"]),
    }
    return render(request, "trajectories/export.html", context, status=422 if fault else 200)

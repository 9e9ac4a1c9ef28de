"""`/runs/{run}/proof/{table}/{key}`: a row of the State as it stands, and the events it names as its evidence."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.happened import TOLD, happened
from trajectories.joined import proof_story
from trajectories.newest import newest
from trajectories.readings.tools import name_of
from trajectories.reducers.behaviours import BEHAVIOURS

WORDS = {
    "trust": "What an author had of a reviewer",
    "roles": "A role that emerged",
    "recoveries": "A loss and what became of it",
    "behaviours": "A behaviour of the team",
    "waste": "Effort that came to nothing",
    "attention": "What needed a person",
    "claims": "A claim",
    "pulls": "A pull",
    "reviews": "A review",
    "overlaps": "Two workers on one subject",
    "handovers": "A pull handed over",
}
TABS = {
    "behaviours": "behaviours",
    "claims": "claims",
    "recoveries": "team",
    "trust": "team",
    "roles": "team",
    "waste": "team",
}


@require_safe
@gate("viewer")
def proof(request: HttpRequest, slug: str, table: str, key: str) -> HttpResponse:
    """The row's fields in words, its events as lines, each leading to its raw delivery."""
    run = visible_run(request, slug)
    found = newest(run)
    if table == "run" and key in TOLD:
        told = {"run": run, "tab": "summary", "t0": found.t0, "table": table, "key": key, "title": TOLD[key]}
        return render(request, "trajectories/proof.html", {**told, "story": happened(found, key)})
    if table not in WORDS:
        raise Http404(f"The table {table[:40]} keeps no evidence.")
    rows = found.tables[table]
    row = rows.get(int(key) if key.isascii() and key.isdigit() and len(key) < 19 else key) or rows.get(key)
    if row is None:
        raise Http404(f"This run has no row {key[:80]} in {table}.")
    shown = [(name, value) for name, value in row.items() if name not in ("evidence", "evidence_count")]
    context: dict[str, Any] = {
        "run": run,
        "tab": TABS.get(table, ""),
        "t0": found.t0,
        "row": row,
        "table": table,
        "key": key,
    }
    title = BEHAVIOURS[key].title if table == "behaviours" and key in BEHAVIOURS else WORDS[table]
    context |= {"title": title, "fields": shown, "story": proof_story(run.pk, row["evidence"])}
    context["worker_name"] = name_of(found, row.get("worker")) if row.get("worker") is not None else None
    return render(request, "trajectories/proof.html", context)

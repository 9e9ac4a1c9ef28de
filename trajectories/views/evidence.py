"""`/runs/{run}/evidence/{source}/{id}`: the raw delivery behind a statement, and the events it gave."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from trajectories.evidence import evidence as evidence_of
from trajectories.sources import limits

SHOWN = 400_000  # characters of a body on the page; the API has all of it


@require_safe
@gate("viewer")
def evidence(request: HttpRequest, slug: str, source: str, id: str) -> HttpResponse:
    """The delivery as it came, as text, with its events."""
    run = visible_run(request, slug)
    answer = evidence_of(run.pk, source, id)
    if answer is None:
        raise Http404(f"This run has no delivery {source}:{id}.")
    delivery = answer["delivery"]
    body = delivery.get("body", delivery.get("raw"))
    raw = _pretty(body)
    context: dict[str, Any] = {"run": run, "source": source, "id": id, "tab": "", **answer}
    context |= {"raw": raw[:SHOWN], "cut": len(raw) > SHOWN, "length": len(raw)}
    context |= {"limits": limits(source), "recovered": body.get("recovered", "") if isinstance(body, dict) else ""}
    context["shown_events"] = [{**event, "pretty": _pretty(event["fields"])} for event in answer["events"]]
    return render(request, "trajectories/evidence.html", context)


def _pretty(body: Any) -> str:
    if isinstance(body, str):
        return body
    return json.dumps(body, indent=2, ensure_ascii=False, default=str)

"""`/search?q=`: across every run, or one; each hit leads to its moment in the replay."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run, visible_runs
from trajectories import search

PAGE = 50
GLYPHS = {
    "note": "note",
    "message": "message",
    "pull": "pull",
    "review": "reviewer",
    "commit": "commit",
    "step": "play",
    "turn": "dead",
}


@require_safe
@gate("viewer")
def search_page(request: HttpRequest) -> HttpResponse:
    """The form with what was asked, and the answers."""
    asked = {
        name: request.GET.get(name, "").strip()[:200] for name in ("q", "run", "worker", "kind", "from", "to", "before")
    }
    whole = request.GET.get("whole") == "1"
    run = visible_run(request, asked["run"]) if asked["run"] else None
    kinds = [kind for kind in asked["kind"].split(",") if kind in search.KINDS]
    context: dict[str, Any] = {
        "asked": asked,
        "whole": whole,
        "run": run,
        "kinds": kinds,
        "tab": "search",
        "glyphs": GLYPHS,
    }
    if asked["q"]:
        context |= _answer(request, asked, whole, run, kinds)
    return render(request, "trajectories/search.html", context)


def _answer(request: HttpRequest, asked: dict[str, str], whole: bool, run: Any, kinds: list[str]) -> dict[str, Any]:
    try:
        terms = search.terms(asked["q"], whole)
        worker, before = _number(asked["worker"], "worker"), _number(asked["before"], "before")
        seconds = (moment(asked["from"], "from"), moment(asked["to"], "to"))
    except ValueError as problem:
        return {"problem": str(problem)}
    filters = search.Filters(worker, frozenset(kinds), before=before)
    runs = [run] if run else visible_runs(request)
    found, left = search.search(runs, terms, filters, PAGE if run else search.EACH, seconds)
    counts = {kind: sum(each.kinds.get(kind, 0) for each in found) for kind in search.KINDS}
    kept = {name: value for name, value in asked.items() if value and name != "before"} | (
        {"whole": "1"} if whole else {}
    )
    shown = [each for each in found if each.count]
    older = ""
    if run and shown and shown[0].count > len(shown[0].hits) and shown[0].hits:
        older = f"?{urlencode({**kept, 'before': shown[0].hits[-1]['n']})}"
    return {
        "found": shown,
        "left": left,
        "count": sum(each.count for each in found),
        "complete": all(each.complete for each in found) and not left,
        "chips": [(kind, counts[kind], _toggled(kept, kinds, kind), kind in kinds) for kind in search.KINDS],
        "in_run": {each.run.slug: f"?{urlencode({**kept, 'run': each.run.slug})}" for each in shown},
        "everywhere": f"?{urlencode({k: v for k, v in kept.items() if k != 'run'})}",
        "older": older,
    }


def _toggled(kept: dict[str, str], kinds: list[str], kind: str) -> str:
    """The address with this kind added or taken away."""
    chosen = [each for each in kinds if each != kind] if kind in kinds else [*kinds, kind]
    rest = {name: value for name, value in kept.items() if name != "kind"}
    return f"?{urlencode({**rest, 'kind': ','.join(chosen)} if chosen else rest)}"


def _number(text: str, name: str) -> int | None:
    """A number; a worker may be written `w0017`."""
    text = text.removeprefix("w") if name == "worker" else text
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise ValueError(f"{name}: must be a number from 1, such as 17")
    return int(text)


def moment(text: str, name: str) -> float | None:
    """Seconds of `95`, `1:35` or `2:14:00`; None for nothing. Raises ValueError."""
    if not text:
        return None
    total = 0.0
    try:
        for part in text.split(":"):
            total = total * 60 + float(part)
    except ValueError:
        total = -1.0
    if not 0 <= total < 1e8 or text.count(":") > 2:
        raise ValueError(f"{name}: must be a time since the start, such as 2:14:00 or 95")
    return total

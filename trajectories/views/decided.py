"""`/decided`: how a meaning is decided. The thresholds are read from the reducers, so this page cannot drift from them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs import figures
from runs.access import gate
from trajectories.reducers import NOT_YET_DERIVED, RULES, RULES_VERSION, Rule
from trajectories.views.meanings import meanings


def _value(rule: Rule) -> str:
    if rule.unit in {"s", "seconds"}:
        return figures.span(rule.value)
    if rule.unit == "ppm":
        return f"{rule.value / 10_000:g} %"
    return f"{rule.value:,} {rule.unit}".strip()


@require_safe
@gate("viewer")
def decided(request: HttpRequest) -> HttpResponse:
    """Rules in words, thresholds with their values, and what nothing decides yet."""
    rules = [
        {
            "name": rule.name,
            "sentence": rule.sentence,
            "value": _value(rule),
            "part": rule.run_part,
        }
        for rule in sorted(RULES.values(), key=lambda rule: rule.name)
    ]
    context = {"rules": rules, "version": RULES_VERSION, "meanings": meanings(), "missing": NOT_YET_DERIVED.items()}
    return render(request, "trajectories/decided.html", context)

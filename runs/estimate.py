"""What a run will take: agent-hours less the ramp; tokens and cost as a range from earlier runs of the same model and harnesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from runs.models import Price, Run
from runs.spec import RunSpec

LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Rate:
    """What one earlier run took in an agent-hour. `parts` = (input less cached, cached, output) where its totals say so."""

    tokens: float
    cost_microusd: float | None
    parts: tuple[float, float, float] | None


def estimate(spec: RunSpec) -> dict[str, Any]:
    """`earlier` = how many runs the range rests on; 0 means no range. Cost is at today's price where the runs' tokens are known in
    parts, else what they cost then; `price` = today's, or None."""
    hours = spec.agent_seconds() / 3600
    rates, price = list(_rates(spec)), Price.holding(spec.model, datetime.now(UTC).date())
    answer: dict[str, Any] = {
        "agent_hours": round(hours, 2),
        "earlier": len(rates),
        "tokens": None,
        "cost_microusd": None,
    }
    answer |= {"price": price, "cost_from": ""}
    if not rates:
        return answer
    answer["tokens"] = _range([rate.tokens for rate in rates], hours)
    priced = [_cost(price, rate.parts) for rate in rates if price and rate.parts]
    paid = [rate.cost_microusd for rate in rates if rate.cost_microusd is not None]
    if priced:
        answer |= {"cost_microusd": _range(priced, hours), "cost_from": "their tokens at today's price"}
    elif paid:
        answer |= {"cost_microusd": _range(paid, hours), "cost_from": "what they cost"}
    return answer


def _range(rates: list[float], hours: float) -> list[int]:
    return [int(min(rates) * hours), int(max(rates) * hours)]


def _cost(price: Price | None, parts: tuple[float, float, float] | None) -> float:
    assert price is not None
    assert parts is not None
    fresh, cached, output = parts
    return (fresh * price.input + cached * price.cached + output * price.output) / 1_000_000


def _rates(spec: RunSpec) -> Iterable[Rate]:
    """Whoever derives the totals leaves them in `provenance.totals`."""
    wanted = {name for name, _ in spec.harnesses}
    for run in Run.objects.filter(status="ended").exclude(provenance={}).order_by("-id")[:LOOKED_AT]:
        totals = run.provenance.get("totals") or {}
        same = run.spec.get("model") == spec.model and set(run.spec.get("harnesses", {})) == wanted
        if same and totals.get("tokens") and totals.get("agent_seconds"):
            hours = totals["agent_seconds"] / 3600
            cost, whole = totals.get("cost_microusd"), totals.get("input_tokens")
            parts = None
            if whole is not None:
                cached, output = totals["cached_tokens"], totals["output_tokens"]
                parts = ((whole - cached) / hours, cached / hours, output / hours)
            yield Rate(totals["tokens"] / hours, None if cost is None else cost / hours, parts)

"""What a run cost where nobody said it: its tokens at the prices that held on the day it started. Such a figure says so (`priced`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from runs.models import Price, Run
from trajectories.summary import Summary

MILLION = 1_000_000


def priced(runs: Mapping[int, Run], summaries: Mapping[int, Summary]) -> dict[int, Summary]:
    """The summaries, with a cost where the model has a price and the tokens are known; two reads for all of them at most."""
    wanting = [pk for pk, each in summaries.items() if each.cost_microusd is None and each.input_tokens and pk in runs]
    if not wanting:
        return dict(summaries)
    models = {str(runs[pk].spec.get("model") or "") for pk in wanting}
    table = list(Price.objects.filter(model__name__in=models).select_related("model").order_by("-valid_from"))
    found = dict(summaries)
    for pk in wanting:
        run = runs[pk]
        day = (run.started_at or run.created_at).date()
        price = _holding(table, str(run.spec.get("model")), day)
        if price is not None:
            found[pk] = replace(summaries[pk], cost_microusd=_cost(price, summaries[pk]), priced=True)
    return found


def worker_cost(run: Run, row: Mapping[str, Any]) -> int | None:
    """What one worker's tokens cost at list price, in micro-dollars; None where the model has no price."""
    price = list_price(run)
    if price is None or not row["input_tokens"]:
        return None
    tokens = {name: row[name] or 0 for name in ("input_tokens", "cached_tokens", "output_tokens")}
    return _cost(price, Summary(**tokens))


def list_price(run: Run) -> Price | None:
    """The price of the run's model on the day it started; None if there is none."""
    model = str(run.spec.get("model") or "")
    table = Price.objects.filter(model__name=model).select_related("model").order_by("-valid_from")
    return _holding(list(table), model, (run.started_at or run.created_at).date())


def priced_one(run: Run, summary: Summary) -> Summary:
    """The same for one run."""
    return priced({run.pk: run}, {run.pk: summary})[run.pk]


def _holding(table: list[Price], model: str, day: date) -> Price | None:
    return next((price for price in table if price.model.name == model and price.valid_from <= day), None)


def _cost(price: Price, summary: Summary) -> int:
    cached = min(summary.cached_tokens or 0, summary.input_tokens or 0)
    fresh = (summary.input_tokens or 0) - cached
    total = fresh * price.input + cached * price.cached + (summary.output_tokens or 0) * price.output
    return (total + MILLION // 2) // MILLION

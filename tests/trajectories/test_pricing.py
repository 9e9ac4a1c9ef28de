"""A cost that nobody said is worked out from tokens at the prices of the day; one that was said is left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person, make_run
from tests.trajectories.test_run_list import tell
from trajectories.newest import newest
from trajectories.pricing import priced_one, worker_cost
from trajectories.summary import of_runs

pytestmark = pytest.mark.django_db


def told(model: str, day: datetime, **worker: Any) -> Run:
    run = make_run(f"run-{model}-{day:%m%d}".replace(".", "-"), status="ended", started_at=day)
    Run.objects.filter(pk=run.pk).update(spec={**run.spec, "model": model}, scripted=False)
    run.refresh_from_db()
    tokens = {"input_tokens": 1_000_000, "cached_tokens": 400_000, "output_tokens": 50_000}
    tell(run, "workers", 1, name="w0001", status="ended", **{**tokens, **worker})
    return run


def cost(run: Run) -> tuple[int | None, bool]:
    summary = priced_one(run, of_runs([run.pk])[run.pk])
    return summary.cost_microusd, summary.priced


def test_the_price_of_the_day_the_run_began_is_taken() -> None:
    before, after = datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 10, 1, tzinfo=UTC)
    assert cost(told("gpt-5.6-sol", before)) == (600_000 * 5 + 200_000 + 1_500_000, True)
    assert cost(told("gpt-5.6-sol", after)) == (600_000 * 4 + 160_000 + 1_000_000, True)


def test_a_cost_that_was_said_stays_and_one_without_a_price_is_unknown() -> None:
    day = datetime(2026, 7, 1, tzinfo=UTC)
    assert cost(told("gpt-5.6-sol", day, cost_microusd=7)) == (7, False)
    assert cost(told("nobodys-model", day)) == (None, False)
    assert cost(told("gpt-5.6-terra", datetime(2020, 1, 1, tzinfo=UTC))) == (None, False)


def test_pages_say_that_such_a_cost_is_at_list_price(client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    run = told("gpt-5.6-sol", datetime(2026, 7, 1, tzinfo=UTC))
    assert "$4.70 at list price" in client.get(f"/compare?runs={run.slug}").content.decode()
    assert "It cost $4.70 at list price" in client.get(f"/runs/{run.slug}/summary").content.decode()
    assert "Cost, at list price" in client.get(f"/runs/{run.slug}/summary").content.decode()


def test_a_worker_and_the_live_page_have_the_price_that_the_summary_has(client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    run = told("gpt-5.6-sol", datetime(2026, 7, 1, tzinfo=UTC))
    assert worker_cost(run, newest(run).tables["workers"][1]) == cost(run)[0] == 4_700_000
    page = client.get(f"/runs/{run.slug}/workers/1").content.decode()
    assert '<span class="v">$4.70</span><span class="n">at list price' in page
    live = client.get(f"/runs/{run.slug}/").content.decode()
    assert '"price": {"input": 5000000, "cached": 500000, "output": 30000000}' in live
    unpriced = told("nobodys-model", datetime(2026, 7, 1, tzinfo=UTC))
    assert '"price": null' in client.get(f"/runs/{unpriced.slug}/").content.decode()
    assert "no price known" in client.get(f"/runs/{unpriced.slug}/workers/1").content.decode()

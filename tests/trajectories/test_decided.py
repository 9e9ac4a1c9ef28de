"""`/decided`: every threshold of the reducers stands there with the value that holds, in a unit a person reads."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client

from tests.runs.factories import make_person
from trajectories.reducers import RULES
from trajectories.reducers.roles import INTEGRATOR_SHARE

pytestmark = pytest.mark.django_db


def shown() -> dict[str, str]:
    """Threshold -> its value as the page says it."""
    client = Client()
    client.force_login(make_person("eve", "viewer"))
    page = client.get("/decided").content.decode()
    return dict(re.findall(r'<code>(\w+)</code><b class="num">([^<]*)</b>', page))


def test_every_threshold_is_on_the_page_once_with_a_value() -> None:
    values = shown()
    assert set(values) == set(RULES)
    assert all(values.values())


def test_shares_are_shown_in_per_cent() -> None:
    values = shown()
    shares = {name for name, rule in RULES.items() if rule.unit == "ppm"}
    assert {name: values[name] for name in shares} == {
        "coordinator_share_ppm": "50 %",
        "integrator_share_ppm": "50 %",
        "protocol_share_ppm": "75 %",
    }
    assert not any("ppm" in value for value in values.values())


def test_a_share_that_is_changed_is_shown_as_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    name = INTEGRATOR_SHARE.name
    monkeypatch.setitem(RULES, name, replace(RULES[name], value=333_300))
    assert shown()[name] == "33.33 %"


def test_spans_and_counts_are_shown_in_their_units() -> None:
    values = shown()
    assert values["claim_ttl_s"] == "1 h"
    assert values["integrator_merges"] == "3 merges"

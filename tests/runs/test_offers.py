"""Models, endpoints and prices: what an admin writes down, what the form offers, and a key that is taken and never shown."""

from __future__ import annotations

import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from runs import gateways, keys, preflight
from runs.estimate import estimate
from runs.folder import RunFolder
from runs.models import Endpoint, LanguageModel, Price, Run
from runs.presets import PRESETS
from runs.spec import RunSpec
from runs.validation import parse_spec
from tests.runs.factories import make_person, make_run
from tests.runs.test_new_run import shown

pytestmark = pytest.mark.django_db
KEY = "sk-canary-9d1f-page-key"
REAL = {"task": "rill", "model": "gpt-5.6-sol", "endpoint": "openai"}


@pytest.fixture
def ada(client: Client, settings: Any, tmp_path: Path) -> Client:
    """An admin, with a data folder of her own."""
    settings.DATA_DIR = tmp_path
    client.force_login(make_person("ada", "admin"))
    return client


def spec(**more: Any) -> RunSpec:
    return parse_spec({**REAL, **more}, PRESETS["demo"].spec)


def test_the_form_offers_the_models_and_endpoints_that_are_written_down(ada: Client) -> None:
    LanguageModel.objects.create(name="old-one", valid_from=date(2020, 1, 1), retired_on=date(2021, 1, 1))
    page = ada.get("/runs/new?preset=agensh").content.decode()
    assert '<option value="gpt-5.6-sol">GPT-5.6 Sol, $4 in, $20 out a million</option>' in page
    assert '<option value="openai">https://api.openai.com/v1</option>' in page
    assert "old-one" not in page


def test_a_key_is_kept_in_a_file_that_only_its_owner_may_read_and_is_shown_on_no_page(ada: Client) -> None:
    row = Endpoint.objects.get(name="openai")
    form = {"name": "openai", "url": row.url, "auth": "bearer", "model_key": f" {KEY}\n", "strip": "store"}
    answer = ada.post("/models/endpoints", form, follow=True)
    row.refresh_from_db()
    file = keys.path_of(row)
    assert (file.read_text(), file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (KEY, 0o600, 0o700)
    assert row.stripped == ["store"]
    for page in (answer, ada.get("/models?endpoint=openai"), ada.get("/runs/new?preset=agensh")):
        assert KEY not in page.content.decode()
    assert KEY not in json.dumps(list(Endpoint.objects.values()), default=str)
    assert "kept" in answer.content.decode()


def test_a_key_goes_to_no_other_address_than_the_one_it_was_given_for(ada: Client) -> None:
    row = Endpoint.objects.get(name="openai")
    keys.keep(row, KEY)
    ada.post("/models/endpoints", {"name": "openai", "url": "https://elsewhere.example/v1", "auth": "bearer"})
    assert not keys.has_key(row)


@pytest.mark.parametrize("key", ["two words", "ключ", "x" * 5000, "a\x07b"])
def test_what_is_no_key_is_refused_without_being_repeated(ada: Client, key: str) -> None:
    form = {"name": "mine", "url": "http://127.0.0.1:8080/v1", "auth": "bearer", "model_key": key}
    answer = ada.post("/models/endpoints", form)
    assert (answer.status_code, key in answer.content.decode()) == (422, False)
    assert not Endpoint.objects.filter(name="mine").exists()


def test_an_address_with_a_secret_in_it_is_refused(ada: Client) -> None:
    answer = ada.post("/models/endpoints", {"name": "mine", "url": "https://me:pw@host/v1", "auth": "bearer"})
    assert (answer.status_code, "every viewer would see" in answer.content.decode()) == (422, True)


def test_a_price_from_a_day_on_leaves_the_earlier_ones_as_they_were(ada: Client) -> None:
    form = {
        "model": "gpt-5.6-sol",
        "valid_from": "2030-01-01",
        "input": "1.5",
        "cached": "0.15",
        "cache_write": "2",
        "output": "9.25",
    }
    assert ada.post("/models/prices", form).status_code == 302
    found = [
        Price.holding("gpt-5.6-sol", day)
        for day in (date(2026, 6, 25), date(2026, 7, 1), date(2026, 10, 1), date(2030, 1, 1))
    ]
    assert [price and price.output for price in found] == [None, 30_000_000, 20_000_000, 9_250_000]
    assert "9.25" in ada.get("/models").content.decode()


def test_every_price_reaches_the_gateway_with_its_day_and_the_key_only_as_a_path(ada: Client, tmp_path: Path) -> None:
    keys.keep(Endpoint.objects.get(name="openai"), KEY)
    told = gateways.config(spec(budget_microusd=5_000_000, requests_at_once=4), RunFolder(tmp_path / "run"))
    assert (told["endpoint"], told["auth"], told["budget_microusd"], told["most_at_once"]) == (
        "https://api.openai.com/v1",
        "bearer",
        5_000_000,
        4,
    )
    assert [row["output"] for row in told["prices"] if row["model"] == "gpt-5.6-sol"] == [30_000_000, 20_000_000]
    assert KEY not in json.dumps(told)
    assert Path(told["key_file"]).read_text() == KEY


def test_a_key_typed_on_the_form_is_kept_for_its_endpoint_and_not_in_the_run(ada: Client) -> None:
    typed = {"model": "m", "endpoint": "http://127.0.0.1:8080/v2", "model_key": KEY}
    answer = ada.post("/runs/new", shown(**typed, budget_microusd="$1,250.50", budget_tokens="2,000,000"))
    assert answer.status_code == 302
    run = Run.objects.get()
    assert (run.spec["budget_microusd"], run.spec["budget_tokens"]) == (1_250_500_000, 2_000_000)
    assert KEY not in json.dumps([run.spec, run.provenance, run.endpoints])
    place = Endpoint.find("http://127.0.0.1:8080/v2/")
    assert place is not None
    assert keys.path_of(place).read_text() == KEY


def test_an_operator_may_launch_and_keep_no_key(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(make_person("ben", "operator"))
    assert 'name="model_key"' not in client.get("/runs/new?preset=agensh").content.decode()
    typed = {"model": "m", "endpoint": "http://127.0.0.1:8080/v1"}
    assert client.post("/runs/new", shown(**typed, model_key=KEY)).status_code == 403
    assert (Run.objects.count(), (tmp_path / "keys").exists()) == (0, False)
    assert client.post("/runs/new", shown(**typed)).status_code == 302


def test_preflight_names_what_a_real_model_lacks_and_how_to_mend_it(ada: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(gateways, "probe", lambda *_: "")
    check = preflight._model(spec())
    assert (check.ok, check.text, "keep_key openai" in check.fix) == (False, "no key is kept for openai", True)
    keys.keep(Endpoint.objects.get(name="openai"), KEY)
    assert preflight._model(spec()).ok
    check = preflight._model(spec(model="unpriced", budget_microusd=5))
    assert (check.ok, "has none" in check.text) == (False, True)
    assert preflight._model(spec(model="unpriced", budget_tokens=5)).ok


def test_an_endpoint_that_does_not_answer_is_named_before_the_launch(ada: Client) -> None:
    check = preflight._model(spec(endpoint="http://127.0.0.1:9/v1"))
    assert (check.ok, "does not answer" in check.text) == (False, True)


def test_the_estimate_prices_the_tokens_of_earlier_runs_at_todays_price(ada: Client) -> None:
    assert estimate(spec())["cost_microusd"] is None
    totals = {"tokens": 1_100_000, "input_tokens": 1_000_000, "cached_tokens": 500_000, "output_tokens": 100_000}
    make_run("earlier", status="ended", provenance={"totals": {**totals, "agent_seconds": 3600, "cost_microusd": 1}})
    Run.objects.update(spec=spec().as_dict())
    found = estimate(spec(duration_s=3600, ramp_gate=8))
    assert (found["tokens"], found["cost_from"]) == ([8_800_000] * 2, "their tokens at today's price")
    assert found["cost_microusd"] == [8 * (500_000 * 4 + 200_000 + 2_000_000)] * 2


def test_the_command_takes_a_key_from_standard_input_only(ada: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    out = io.StringIO()
    call_command("keep_key", "mine", "--url", "http://host:1/v1", stdout=out)
    row = Endpoint.objects.get(name="mine")
    assert keys.path_of(row).read_text() == KEY
    assert KEY not in out.getvalue()
    call_command("keep_key", "mine", "--forget", stdout=out)
    assert not keys.has_key(row)
    with pytest.raises(CommandError, match="unknown; known are anthropic, local, mine, openai"):
        call_command("keep_key", "other")


def test_a_budget_that_is_reached_is_said_to_everybody_and_then_ends_the_run(ada: Client, monkeypatch: Any) -> None:
    run = make_run("spender", status="running", phase="running")
    Run.objects.update(spec={**run.spec, "budget_microusd": 10})
    run.refresh_from_db()
    run.workers.create(n=1, name="w0001", harness="mini", model="m", status="alive", life=1)
    folder = RunFolder.of(run.slug)
    folder.worker("w0001").mkdir(parents=True)
    for state, share in (("open", 0), ("near", 930_000), ("near", 950_000), ("spent", 1_010_000)):
        told = {"budget": state, "share_ppm": share, "spent_microusd": 9, "spent_tokens": 5, "limit": "$10.00"}
        monkeypatch.setattr(gateways, "status", lambda _, told=told: told)
        gateways.forget(run)
        gateways.watch_budget(run, folder)
    run.refresh_from_db()
    said = [event.fields["state"] for event in run.run_events.filter(kind="budget.reached")]
    assert (said, run.status, run.reason) == (["near", "spent"], "stopping", "the model budget of $10.00 is spent")
    lines = (folder.worker("w0001") / "commands.jsonl").read_text().splitlines()
    assert [json.loads(line)["command"] for line in lines] == ["say"]
    assert "93 %" in lines[0]

"""The form of /runs/new: one validation, faults beside their fields, one launch however often it is sent."""

from __future__ import annotations

import pytest
from django.test import Client

from runs.forms.new_run import NewRun
from runs.models import Run
from runs.presets import PRESETS
from tests.runs.factories import make_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def ben() -> Client:
    client = Client()
    client.force_login(make_person("ben", "operator"))
    return client


def shown(preset: str = "demo", **changes: str) -> dict[str, str]:
    """What a browser sends when nothing but `changes` was touched."""
    form = NewRun(preset=preset)
    sent = {name: str(form[name].value() or "") for name in form.fields if name not in ("peers", "ends_early")}
    sent |= {name: "on" for name in ("peers", "ends_early") if form[name].value()}
    return {"preset": preset, "key": "k1", **sent, **changes}


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_every_preset_shows_itself_and_reads_back_as_itself(preset: str, ben: Client) -> None:
    page = ben.get("/runs/new", {"preset": preset}).content.decode()
    assert f'value="{preset}" checked' in page
    assert PRESETS[preset].explanation[:40] in page
    form = NewRun(
        shown(
            preset,
            endpoint="" if PRESETS[preset].spec.scripted else "http://127.0.0.1:1/v1",
            backend="local",
            nodes="1",
        ),
        preset=preset,
    )
    assert form.is_valid(), form.errors
    spec, wanted = form.run_spec.as_dict(), PRESETS[preset].spec.as_dict()  # type: ignore[union-attr]
    changed = {name for name in wanted if spec[name] != wanted[name]}
    assert changed <= {"task", "endpoint", "backend", "nodes"}


def test_launch_makes_one_run_however_often_it_is_pressed(ben: Client) -> None:
    answers = [ben.post("/runs/new", shown(name="Two presses")) for _ in range(2)]
    run = Run.objects.get()
    assert {answer["Location"] for answer in answers} == {f"/runs/{run.slug}/launch"}
    assert (run.name, run.status, run.created_by.username) == ("Two presses", "draft", "ben")
    ben.post("/runs/new", shown(name="Two presses", key="k2"))
    assert Run.objects.count() == 2


def test_fault_is_said_beside_its_field_and_nothing_is_launched(ben: Client) -> None:
    answer = ben.post("/runs/new", shown(workers="4000", duration_s="soon", endpoint="http://x/v1"))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Must be a whole number of seconds from 30" in page
    assert not Run.objects.exists()
    page = ben.post("/runs/new", shown(workers="4000")).content.decode()
    assert "Is 4000; it must be from 1 to 1024 workers." in page
    assert page.count("has-error") >= 1


def test_made_up_choices_are_refused_by_the_same_sentence(ben: Client) -> None:
    page = ben.post("/runs/new", shown(task="../../etc", backend="moon", effort="huge")).content.decode()
    for sentence in ("choose one of rill", "choose one of local", "choose one of low"):
        assert sentence in page
    assert not Run.objects.exists()


def test_preflight_and_estimate_follow_what_is_typed(ben: Client) -> None:
    page = ben.post("/runs/new/check", shown()).content.decode()
    assert "Preflight" in page and "git" in page and "0.53 h" in page and "no earlier run" in page
    page = ben.post("/runs/new/check", shown(workers="9000")).content.decode()
    assert "it must be from 1 to 1024" in page and "Estimate" not in page
    assert not Run.objects.exists()


def test_hostile_name_is_text_on_every_page(ben: Client) -> None:
    ben.post("/runs/new", shown(name="<script>alert(1)</script>"))
    run = Run.objects.get()
    for address in ("/", f"/runs/{run.slug}/launch", f"/runs/{run.slug}/phases", f"/compare?runs={run.slug}"):
        page = ben.get(address).content.decode()
        assert "<script>alert(1)" not in page, address
        assert "&lt;script&gt;alert(1)" in page, address


def test_phases_are_told_with_their_times_and_lead_to_the_live_page(ben: Client) -> None:
    ben.post("/runs/new", shown())
    run = Run.objects.get()
    run.move("preflight")
    for phase in ("preflight", "services"):
        run.enter_phase(phase)
    run.record("service.started", service="board")
    page = ben.get(f"/runs/{run.slug}/phases").content.decode()
    assert page.index("Preflight") < page.index("Services") < page.index("Workers joining")
    assert "board up" in page and 'aria-current="step"' in page
    run.record("worker.joined", worker=1, life=1)
    assert ben.get(f"/runs/{run.slug}/phases")["HX-Redirect"] == f"/runs/{run.slug}/"


def test_failed_launch_says_why(ben: Client) -> None:
    ben.post("/runs/new", shown())
    run = Run.objects.get()
    run.move("preflight")
    run.enter_phase("preflight")
    run.finish("failed", "memory: 1 GiB free")
    answer = ben.get(f"/runs/{run.slug}/phases")
    assert "HX-Redirect" not in answer
    assert "Could not launch" in answer.content.decode() and "memory: 1 GiB free" in answer.content.decode()


@pytest.mark.parametrize("action", ["cancel", "end"])
def test_operator_acts_and_is_named(action: str, ben: Client) -> None:
    ben.post("/runs/new", shown())
    run = Run.objects.get()
    answer = ben.post(f"/runs/{run.slug}/actions/{action}", {"next": "https://evil.invalid/"})
    assert answer["Location"] == f"/runs/{run.slug}/"
    event = run.run_events.get(kind="action.taken")
    assert event.fields["person"] == "ben" and event.fields["action"] == action
    answer = ben.post(f"/runs/{run.slug}/actions/nudge", {"worker": "9"}, HTTP_ACCEPT="application/json")
    assert (answer.status_code, answer.json()["ok"]) == (422, False)

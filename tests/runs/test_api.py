"""The HTTP API of runs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from runs.models import ApiToken, Run
from tests.runs.factories import make_person, make_run, make_worker

pytestmark = pytest.mark.django_db
DEMO = {"preset": "demo", "task": "rill"}


def bearer(role: str) -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": f"Bearer {ApiToken.mint(role, role)[0]}"}


def post(path: str, body: Any = None, **more: str) -> Any:
    return Client().post(f"/api/v1/{path}", body or {}, content_type="application/json", **more)


def test_stranger_is_told_how_to_get_in() -> None:
    answer = Client().get("/api/v1/runs")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    assert "Bearer" in answer.json()["detail"]


def test_operator_launches_and_viewer_does_not() -> None:
    assert post("runs", DEMO, **bearer("viewer")).status_code == 403
    answer = post("runs", DEMO, **bearer("operator"))
    assert answer.status_code == 201
    assert answer.json()["status"] == "draft"
    assert Run.objects.get().spec["workers"] == 8


def test_without_a_task_the_first_installed_one_is_taken_as_on_the_form() -> None:
    answer = post("runs", {"preset": "demo"}, **bearer("operator"))
    assert (answer.status_code, Run.objects.get().task) == (201, "rill")


def test_same_idempotency_key_twice_makes_one_run() -> None:
    who = bearer("operator")
    first = post("runs", DEMO, HTTP_IDEMPOTENCY_KEY="k1", **who)
    again = post("runs", DEMO, HTTP_IDEMPOTENCY_KEY="k1", **who)
    other = post("runs", DEMO, HTTP_IDEMPOTENCY_KEY="k2", **who)
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert first.json()["slug"] == again.json()["slug"] != other.json()["slug"]
    assert Run.objects.count() == 2


def test_bad_spec_is_a_problem_that_names_the_field() -> None:
    answer = post("runs", {**DEMO, "workers": 4000}, **bearer("operator"))
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("workers: is 4000; it must be from 1 to 1024")


def test_run_is_found_by_slug_and_by_id() -> None:
    run, who = make_run(), bearer("viewer")
    for name in (run.slug, run.pk):
        assert Client().get(f"/api/v1/runs/{name}", **who).json()["slug"] == run.slug
    assert Client().get("/api/v1/runs/none", **who).status_code == 404
    assert [r["slug"] for r in Client().get("/api/v1/runs", **who).json()["runs"]] == [run.slug]


def test_cancel_is_accepted_once_and_refused_when_the_run_is_over() -> None:
    run, who = make_run(status="running"), bearer("operator")
    assert post(f"runs/{run.slug}/cancel", **who).status_code == 202
    assert post(f"runs/{run.slug}/cancel", **bearer("viewer")).status_code == 403
    Run.objects.update(status="ended")
    assert post(f"runs/{run.slug}/cancel", **who).status_code == 409


def test_actions_on_a_worker_name_one_that_exists() -> None:
    run, who = make_run(status="running"), bearer("operator")
    make_worker(run, 2)
    assert post(f"runs/{run.slug}/workers/2/nudge", **who).status_code == 202
    assert post(f"runs/{run.slug}/workers/2/stop", **who).status_code == 202
    assert post(f"runs/{run.slug}/workers/3/nudge", **who).status_code == 422
    assert list(run.actions.values_list("action", "target")) == [("nudge", "2"), ("stop_worker", "2")]


def test_session_needs_its_csrf_token() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_person("ben", "operator"), backend="django.contrib.auth.backends.ModelBackend")
    assert client.post("/api/v1/runs", DEMO, content_type="application/json").status_code == 403
    assert client.get("/api/v1/runs").status_code == 200


def test_token_is_never_above_its_person() -> None:
    eve = make_person("eve", "viewer")
    token = ApiToken.mint("hers", "admin", eve)[0]
    assert post("runs", DEMO, HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 403
    eve.is_active = False
    eve.save()
    assert Client().get("/api/v1/runs", HTTP_AUTHORIZATION=f"Bearer {token}").status_code == 401


def test_preflight_is_asked_with_the_body_of_a_launch_and_starts_nothing(settings: Any) -> None:
    settings.APP_URL = ""
    told = post("preflight", {**DEMO, "backend": "compose"}, **bearer("operator")).json()
    row = next(row for row in told["checks"] if row["name"] == "app address")
    assert told["ready"] is False and "docker compose" in row["fix"] and not row["ok"]
    assert not Run.objects.exists()
    assert post("preflight", DEMO, **bearer("viewer")).status_code == 403
    wrong = post("preflight", {**DEMO, "workers": 0}, **bearer("operator"))
    assert wrong.status_code == 422 and "workers" in wrong.json()["detail"]

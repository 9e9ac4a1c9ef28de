"""Address x role x method: who is let in, who is led to sign-in, who is refused. Walks every address there is."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import Http404
from django.test import Client
from django.urls import get_resolver

from runs.access import ROLES, find_run
from runs.models import ApiToken, Run
from tests.runs.addresses import PUBLIC, ROWS, Row, walk
from tests.runs.factories import make_person, make_run, make_worker

pytestmark = pytest.mark.django_db
ROUTES = walk(get_resolver())
SENTENCES = {"slug": "demo-1", "run": "demo-1", "token": "none", "sha256": "0" * 64, "source": "run", "name": "w0001"}
NUMBERS = {"pk": "1", "n": "1", "number": "1", "worker": "1", "note": "1", "claim": "1", "id": "1", "delivery": "1"}


def test_every_address_has_a_row() -> None:
    assert sorted(set(ROUTES) - set(ROWS)) == [], "add these to tests/runs/addresses.py: who may read, who may post?"
    assert sorted(set(ROWS) - set(ROUTES)) == [], "these addresses are gone"


@pytest.fixture
def people() -> dict[str, User | None]:
    make_worker(make_run("demo-1", "running"))
    return {"stranger": None, "nobody": make_person("nobody", None)} | {role: make_person(role, role) for role in ROLES}


@pytest.mark.parametrize("route", sorted(set(ROUTES) & set(ROWS)))
def test_address_opens_to_its_roles_only(route: str, people: dict[str, User | None]) -> None:
    row = ROWS[route]
    for role, method in itertools.product(people, ("get", "post", "put", "delete")):
        client, person = Client(), people[role]
        if person is not None:
            client.force_login(person)
        answer = client.generic(method.upper(), f"/{_filled(route)}", content_type=_type(row))
        wanted = _wanted(row, getattr(row, method), role)
        assert _outcome(answer) in wanted, (
            f"{method} /{route} as {role}: {answer.status_code} {answer.get('Location', '')}"
        )


def _wanted(row: Row, needed: str | None, role: str) -> set[str]:
    if row.kind == "worker":
        return {"refused", "no such method"}
    if needed is None:
        # A method that is not there may be refused before or after the role is looked at; it must not do anything.
        return {"no such method", "refused", "led to sign-in"}
    if needed == PUBLIC:
        return {"let in"}
    if role in ROLES and ROLES.index(role) >= ROLES.index(needed):
        return {"let in"}
    if role == "stranger" and row.kind == "page":
        return {"led to sign-in"}
    return {"refused"}


def _outcome(answer: Any) -> str:
    if answer.status_code in {401, 403}:
        return "refused"
    if answer.status_code == 405:
        return "no such method"
    if answer.status_code == 302 and answer["Location"].startswith("/sign-in?next="):
        return "led to sign-in"
    return "let in"  # also 404 and 422: the gate is behind us


def _filled(route: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1].rpartition(":")[2]
        return SENTENCES.get(name) or NUMBERS.get(name) or "1"

    return re.sub(r"<([^>]+)>", value, route)


def _type(row: Row) -> str:
    return "application/json" if row.kind == "api" else "application/x-www-form-urlencoded"


def test_form_without_its_csrf_token_changes_nothing(people: dict[str, User | None]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["admin"])  # type: ignore[arg-type]
    for address in ("/runs/demo-1/actions/cancel", "/people/add", "/tokens/add", "/sign-out", "/runs/new"):
        assert client.post(address, {"name": "x"}).status_code == 403, address
    assert Run.objects.get().cancel_requested_at is None
    assert client.post("/api/v1/runs/demo-1/cancel", {}, content_type="application/json").status_code == 403


def test_token_never_holds_more_than_its_person(people: dict[str, User | None]) -> None:
    plain, _ = ApiToken.mint("too much", "admin", people["viewer"])
    answer = Client().post("/api/v1/runs/demo-1/cancel", HTTP_AUTHORIZATION=f"Bearer {plain}")
    assert answer.status_code == 403


def test_no_run_has_a_name_with_nul() -> None:
    with pytest.raises(Http404):
        find_run("a\x00b")


def test_revoked_token_and_disabled_person_get_in_nowhere(people: dict[str, User | None]) -> None:
    plain, token = ApiToken.mint("script", "viewer", people["viewer"])
    asked = {"HTTP_AUTHORIZATION": f"Bearer {plain}"}
    assert Client().get("/api/v1/runs", **asked).status_code == 200
    User.objects.filter(username="viewer").update(is_active=False)
    assert Client().get("/api/v1/runs", **asked).status_code == 401
    User.objects.filter(username="viewer").update(is_active=True)
    token.revoke()
    assert Client().get("/api/v1/runs", **asked).status_code == 401

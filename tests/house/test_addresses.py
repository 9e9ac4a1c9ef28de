"""NUL in an address is refused everywhere, on both databases alike; the API's page lists every call."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.runs.addresses import ROWS
from tests.runs.factories import make_person, make_run

pytestmark = pytest.mark.django_db
READ = sorted(route for route, row in ROWS.items() if row.get and "<" not in route)


@pytest.fixture
def admin() -> Client:
    make_run("demo-1", "ended")
    client = Client()
    client.force_login(make_person("ada", "admin"))
    return client


@pytest.mark.parametrize("route", READ)
def test_a_query_with_nul_is_refused_by_name(admin: Client, route: str) -> None:
    for query in ("q=%00", "%00=1", "status=a%00b&group=x"):
        answer = admin.get(f"/{route}?{query}")
        assert answer.status_code == 400, (route, query)


@pytest.mark.parametrize(
    "address",
    [
        "api/v1/runs/demo-1/evidence/gitea/a%00b",
        "api/v1/runs/de%00mo",
        "runs/demo-1/evidence/board/a%00b",
        "runs/demo-1/claims/%00",
        "ingest/de%00mo/acp",
    ],
)
def test_a_path_with_nul_is_refused(admin: Client, address: str) -> None:
    answer = admin.get(f"/{address}")
    assert answer.status_code == 400
    assert (b"NUL" in answer.content) is address.startswith(("api", "ingest"))


def test_the_api_page_lists_every_call_with_its_promise(admin: Client) -> None:
    page = admin.get("/api").content.decode()
    schema = admin.get("/api/v1/openapi.json").json()
    for address, methods in schema["paths"].items():
        assert f"<code>{address}</code>" in page
        assert all(call.get("description") for call in methods.values()), f"{address} says nothing"

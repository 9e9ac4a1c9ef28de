"""What never changes comes from memory for who was let in a moment ago, and for nobody else."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.asgi import ASGIHandler
from django.test import Client

from agensh_web import shelf
from agensh_web.shelf import Shelf
from agensh_web.warm import Warm
from runs.models import ApiToken, Run
from tests.runs.factories import make_person
from tests.trajectories.told import hear, new_run, told
from trajectories.derive import settle
from trajectories.models import Segment

pytestmark = pytest.mark.django_db(transaction=True)


class Counted:
    """Django behind it, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.django = ASGIHandler()
        self.shelf = Shelf()
        self.warm = Warm(self._ask, self.shelf)

    async def _ask(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        await self.django(scope, receive, send)

    def get(self, path: str, query: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body, as a server would send them."""
        lines = {"host": "testserver", **headers}
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http"}
        scope |= {
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "client": ("127.0.0.1", 1),
        }
        scope |= {
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in lines.items()],
            "server": ("testserver", 80),
        }
        return async_to_sync(self._heard)(scope)

    async def _heard(self, scope: Any) -> tuple[int, dict[str, str], bytes]:
        talk = ApplicationCommunicator(self.warm, scope)
        await talk.send_input({"type": "http.request", "body": b"", "more_body": False})
        start = await talk.receive_output(20)
        body, more = b"", True
        while more:
            part = await talk.receive_output(20)
            body, more = body + part.get("body", b""), part.get("more_body", False)
        await talk.wait(5)
        return start["status"], {k.decode().lower(): v.decode() for k, v in start["headers"]}, body


def cookie(name: str) -> str:
    client = Client()
    client.force_login(make_person(name, "viewer"))
    return f"sessionid={client.cookies['sessionid'].value}"


@pytest.fixture
def place() -> tuple[str, str]:
    run = new_run("warmed")
    hear(run, told())
    settle(run.pk)
    segment = Segment.objects.get(run=run)
    return f"/api/v1/runs/{run.slug}/timeline", f"segment=0&generation={segment.generation}&etag={segment.etag}"


def test_the_second_person_s_bytes_come_from_memory_once_django_let_the_person_in(place: tuple[str, str]) -> None:
    path, query = place
    app, ann, bob = Counted(), cookie("ann"), cookie("bob")
    cold = app.get(path, query, cookie=ann)
    assert (cold[0], app.asked) == (200, 1)
    assert app.get(path, "", cookie=bob)[0] == 200  # the manifest
    kept = app.get(path, query, cookie=bob)
    assert app.asked == 2
    assert kept == cold
    assert gzip.decompress(kept[2])
    status, headers, body = app.get(path, query, cookie=bob, if_none_match=cold[1]["etag"])
    assert (status, headers["etag"], body, app.asked) == (304, cold[1]["etag"], b"", 2)


def test_the_manifest_of_a_settled_run_comes_from_memory_until_it_is_derived_again(place: tuple[str, str]) -> None:
    path, query = place
    app, ann, bob = Counted(), cookie("ann"), cookie("bob")
    told = app.get(path, "", cookie=ann)
    assert app.get(path, "", cookie=bob) == told == app.get(path, "", cookie=bob)
    assert app.asked == 2, "bob's first question is Django's"
    assert app.get(path, "", cookie=bob, if_none_match=told[1]["etag"])[::2] == (304, b"")
    run = Run.objects.get(slug="warmed")
    settle(run.pk)
    assert app.get(path, "", cookie=bob) == told, (
        "for some seconds the old one is told, with bytes that are still here or gone"
    )
    assert app.get(path, query, cookie=bob)[0] == 404
    again = app.get(path, "", cookie=bob)
    assert json.loads(again[2])["generation"] == json.loads(told[2])["generation"] + 1
    assert app.shelf.bytes == sum(len(each.body) for each in app.shelf.kept.values())


def test_a_manifest_is_kept_no_longer_than_a_person_is_let_in(
    place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = place
    app, ann = Counted(), cookie("ann")
    now = [1_000.0]
    monkeypatch.setattr(shelf.time, "monotonic", lambda: now[0])
    app.get(path, "", cookie=ann)
    now[0] += shelf.LET_IN_S - 0.1
    app.get(path, "", cookie=ann)
    assert app.asked == 1
    now[0] += 0.2
    assert (app.get(path, "", cookie=ann)[0], app.asked) == (200, 2)


def test_who_is_shown_the_replay_is_let_in_to_its_pieces_and_who_is_not_is_not(place: tuple[str, str]) -> None:
    path, query = place
    app, ann, bob = Counted(), cookie("ann"), cookie("bob")
    cold = app.get(path, query, cookie=ann)
    assert app.get("/runs/warmed/replay", "", cookie=bob)[0] == 200
    asked = app.asked
    assert (app.get(path, query, cookie=bob), app.asked) == (cold, asked)
    assert app.get("/runs/warmed/replay", "", cookie="sessionid=nobody")[0] == 302
    assert app.get(path, query, cookie="sessionid=nobody")[0] == 401
    assert not any("/replay" in each for each in app.shelf.kept)


def test_a_run_that_lives_is_asked_for_each_time() -> None:
    run = new_run("moving")
    hear(run, told())
    app, ann = Counted(), cookie("ann")
    assert [app.get(f"/api/v1/runs/{run.slug}/timeline", "", cookie=ann)[0] for _ in range(3)] == [200] * 3
    assert (app.asked, app.shelf.kept) == (3, {})


def test_nobody_is_let_in_by_what_others_may_see(place: tuple[str, str]) -> None:
    path, query = place
    app = Counted()
    assert app.get(path, query, cookie=cookie("ann"))[0] == 200
    for stranger in (
        {},
        {"cookie": "sessionid=nobody"},
        {"authorization": "Bearer none"},
        {"cookie": cookie("bob"), "authorization": "Bearer x"},
    ):
        status, _, body = app.get(path, query, **stranger)
        assert status in {401, 404}
        assert b"AGTL" not in body
        assert app.get(path, query, **stranger)[0] == status
    plain, _ = ApiToken.mint("reader", "viewer")
    before = app.asked
    assert app.get(path, query, authorization=f"Bearer {plain}")[0] == 200
    assert app.asked == before + 1, "a token is asked for each time"


def test_who_signs_out_is_asked_again_a_moment_later(place: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    path, query = place
    app, ann = Counted(), cookie("ann")
    monkeypatch.setattr(shelf, "LET_IN_S", -1.0)
    assert [app.get(path, query, cookie=ann)[0] for _ in range(3)] == [200, 200, 200]
    assert app.asked == 3


def test_memory_holds_so_many_bytes_and_no_more(place: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    path, query = place
    app, ann = Counted(), cookie("ann")
    size = len(app.get(path, query, cookie=ann)[2])
    monkeypatch.setattr(shelf, "HELD", 4 * size)
    for k in range(9):
        app.shelf.keep(f"other {k}", app.shelf.kept[next(reversed(app.shelf.kept))])
    assert app.shelf.bytes == sum(len(each.body) for each in app.shelf.kept.values()) == 4 * size
    assert app.get(path, query, cookie=ann)[0] == 200
    assert app.asked == 2, "the oldest was let go"
    assert app.get(path, "segment=0", cookie=ann)[0] == 200
    assert all("etag=" in each or each.startswith("other") for each in app.shelf.kept)

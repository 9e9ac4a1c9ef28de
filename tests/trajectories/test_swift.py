"""The door in front of Django: what it takes, what it passes on, and what a sender is told when it does not go well."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from django.db import OperationalError

from trajectories import swift
from trajectories.ingest.acpdoor import BATCH_BYTES, Reply
from trajectories.swift import Swift

Scope = dict[str, Any]


async def django(scope: Scope, receive: Any, send: Any) -> None:
    await send({"type": "django", "path": scope["path"]})


def asked(
    *parts: bytes, path: str = "/ingest/team/acp", method: str = "POST", door: Swift | None = None, **headers: str
) -> tuple[int, Any, dict[bytes, bytes]]:
    """Status, body and headers of the answer to a request whose body comes in these parts; status 0 if Django was asked."""
    told: list[dict[str, Any]] = []
    waiting = [{"type": "http.request", "body": each, "more_body": True} for each in parts]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})

    async def receive() -> dict[str, Any]:
        return waiting.pop(0)

    async def send(message: dict[str, Any]) -> None:
        told.append(message)

    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": lines}
    asyncio.run((door or Swift(django))(scope, receive, send))
    if told[0]["type"] == "django":
        return 0, told[0]["path"], {}
    return told[0]["status"], json.loads(told[1]["body"]), dict(told[0]["headers"])


def test_a_batch_is_handed_over_whole_with_who_sent_it(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[Any, ...]] = []
    monkeypatch.setattr(swift, "take", lambda *told: taken.append(told) or Reply(200, {"acknowledged": 7}))
    answer = asked(b'{"it', b'ems"', b": []}", authorization="Bearer agw_x", x_agensh_harness="mini/1")
    assert answer[:2] == (200, {"acknowledged": 7})
    assert taken == [("team", "Bearer agw_x", "", "mini/1", b'{"items": []}')]


def test_everything_else_is_for_django() -> None:
    assert asked(method="GET")[:2] == (0, "/ingest/team/acp")
    assert asked(path="/ingest/team/gitea")[:2] == (0, "/ingest/team/gitea")
    assert asked(path="/runs/team/acp")[:2] == (0, "/runs/team/acp")


def test_a_busy_door_asks_to_come_again() -> None:
    door = Swift(django)
    door.working = swift.AT_ONCE
    status, body, headers = asked(b"{}", door=door)
    assert (status, body["status"], headers[b"retry-after"]) == (429, 429, b"1")
    assert headers[b"content-type"] == b"application/problem+json"


def test_too_much_is_refused_whether_or_not_it_was_announced() -> None:
    assert asked(b"{}", content_length=str(BATCH_BYTES + 1))[0] == 413
    door = Swift(django)
    assert asked(*[b" " * (1 << 20)] * 9, door=door)[0] == 413
    assert (door.working, door.reading) == (0, 0)


def test_who_sends_slowly_keeps_nobody_out_and_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swift, "READ_S", 0.1)
    monkeypatch.setattr(swift, "take", lambda *told: Reply(200, {"acknowledged": 1}))
    door, told = Swift(django), []

    async def never() -> dict[str, Any]:
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    async def whole() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}"}

    async def send(message: dict[str, Any]) -> None:
        told.append(message.get("status"))

    async def all_of_them() -> None:
        scope = {"type": "http", "path": "/ingest/team/acp", "method": "POST", "headers": []}
        slow = [asyncio.create_task(door(scope, never, send)) for _ in range(swift.AT_ONCE + 1)]
        await asyncio.sleep(0)
        await door(scope, whole, send)
        assert told[:1] == [200]
        await asyncio.gather(*slow)

    asyncio.run(all_of_them())
    assert told.count(408) == swift.AT_ONCE + 1
    assert (door.working, door.reading) == (0, 0)


@pytest.mark.parametrize(("fault", "status"), [(OperationalError("locked"), 503), (KeyError("bug"), 500)])
def test_a_batch_that_could_not_be_stored_is_asked_for_again(
    fault: Exception, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*told: Any) -> Reply:
        raise fault

    monkeypatch.setattr(swift, "take", fails)
    door = Swift(django)
    assert asked(b"{}", door=door)[0] == status
    assert door.working == 0
    monkeypatch.setattr(swift, "take", lambda *told: Reply(200, {"acknowledged": 1}))
    assert asked(b"{}", door=door)[0] == 200


def test_a_sender_that_goes_away_costs_nothing() -> None:
    told: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        told.append(message)

    door = Swift(django)
    asyncio.run(door({"type": "http", "path": "/ingest/team/acp", "method": "POST", "headers": []}, receive, send))
    assert (told, door.working) == ([], 0)

"""The live socket: one reading for everybody, nobody waits for a slow one, nobody stays who may not look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from agensh_web.asgi import application
from runs.access import give_role
from runs.models import Run
from tests.trajectories.sockets import Talk
from tests.trajectories.told import hear, new_run, told
from trajectories import consumers
from trajectories.derive import Deriver, settle
from trajectories.live import doorbell, news, records
from trajectories.live import hub as hub_module
from trajectories.live.hub import Hub
from trajectories.live.news import News
from trajectories.live.subscription import QUEUE, Message, Queued
from trajectories.models import ChangePack, Stream

pytestmark = pytest.mark.django_db(transaction=True)


def signed_in(role: str | None = "viewer") -> str:
    person = User.objects.create_user("ann")
    if role:
        give_role(person, role)
    client = Client()
    client.force_login(person)
    return f"sessionid={client.cookies['sessionid'].value}"


@asynccontextmanager
async def socket(slug: str, cookie: str = "", origin: str = "http://testserver") -> AsyncIterator[Talk]:
    headers = [(b"host", b"testserver"), (b"origin", origin.encode()), (b"cookie", cookie.encode())]
    talk = Talk(application, f"/ws/runs/{slug}/", headers=headers)
    try:
        yield talk
    finally:
        await talk.leave()


async def tell(run: Run, mind: Deriver, part: list[Any]) -> None:
    await sync_to_async(hear)(run, part)
    await sync_to_async(mind.wake)()
    doorbell.ring(run.pk)


async def read_until(talk: Talk, c: int) -> list[dict[str, Any]]:
    found = []
    while not found or found[-1]["to"] < c:
        found.append(json.loads(await talk.hear()))
    return found


async def test_a_socket_is_told_where_the_log_is_and_then_every_change() -> None:
    run, story = await sync_to_async(new_run)("live"), told()
    mind, cookie = Deriver(run.pk), await sync_to_async(signed_in)()
    await tell(run, mind, story[:60])
    async with socket("live", cookie) as talk:
        assert await talk.connect()
        first = json.loads(await talk.hear())
        assert first == {"generation": 1, "to": mind.c, "n": mind.n}
        await tell(run, mind, story[60:])
        heard = await read_until(talk, mind.c)
    numbers = [record[0] for message in heard for record in message.get("changes", [])]
    assert numbers == list(range(first["to"] + 1, mind.c + 1))
    assert heard[-1]["n"] == mind.n


async def test_a_lost_ring_costs_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda *_: None)
    run, story = await sync_to_async(new_run)("live"), told()
    mind, cookie = Deriver(run.pk), await sync_to_async(signed_in)()
    async with socket("live", cookie) as talk:
        assert await talk.connect()
        await talk.hear()
        await tell(run, mind, story[:60])
        assert (await read_until(talk, mind.c))[-1]["to"] == mind.c


async def test_settling_points_sockets_to_the_new_generation() -> None:
    run, cookie = await sync_to_async(new_run)("live"), await sync_to_async(signed_in)()
    await tell(run, Deriver(run.pk), told())
    async with socket("live", cookie) as talk:
        assert await talk.connect()
        await talk.hear()
        await sync_to_async(settle)(run.pk)
        doorbell.ring(run.pk)
        told_now = json.loads(await talk.hear())
    stream = await sync_to_async(Stream.of)(run.pk)
    assert told_now == {"generation": 2, "to": stream.c, "n": stream.n}


async def test_a_batch_too_big_is_a_pointer(monkeypatch: pytest.MonkeyPatch) -> None:
    run = await sync_to_async(new_run)("live")
    await tell(run, Deriver(run.pk), told())
    now = (await sync_to_async(news.newest)([run.pk]))[run.pk]
    whole = await sync_to_async(news.read_news)(run.pk, News(), now)
    assert len(json.loads(whole)["changes"]) == now.c
    monkeypatch.setattr(news, "BYTES", 1_000)
    assert await sync_to_async(news.read_news)(run.pk, News(), now) == now.pointer()


async def test_records_that_were_packed_meanwhile_are_read_from_their_packs() -> None:
    run = await sync_to_async(new_run)("live")
    await tell(run, Deriver(run.pk), told())
    await sync_to_async(settle)(run.pk)

    def both() -> tuple[list[Any], list[Any]]:
        place = (run.pk, Stream.of(run.pk).generation, 2, Stream.of(run.pk).c)
        assert ChangePack.objects.filter(run=run).exists()
        return records.fresh(*place), list(records.between(*place))

    fresh, whole = await sync_to_async(both)()
    assert fresh == whole
    assert fresh[0][0] == 3


async def test_a_socket_that_falls_behind_gets_the_newest_pointer() -> None:
    slow = Queued(1)
    for k in range(QUEUE + 5):
        slow.give(Message.of(f"message {k}", f"pointer {k}"))
    heard = [await slow.next() for _ in range(QUEUE + 1)]
    assert heard == [f"message {k}" for k in range(QUEUE)] + [f"pointer {QUEUE + 4}"]
    slow.give(Message.of("again", "pointer"))
    assert await slow.next() == "again"


@pytest.mark.parametrize("role", [None, "nobody"])
async def test_who_may_not_look_is_turned_away(role: str | None) -> None:
    await sync_to_async(new_run)("live")
    cookie = await sync_to_async(signed_in)(None) if role else ""
    async with socket("live", cookie) as talk:
        assert await talk.connect()
        assert await talk.receive_output(5) == {"type": "websocket.close", "code": consumers.SIGNED_OUT}


async def test_an_unknown_run_is_closed_as_not_found() -> None:
    cookie = await sync_to_async(signed_in)()
    async with socket("nowhere", cookie) as talk:
        assert await talk.connect()
        assert (await talk.receive_output(5))["code"] == consumers.NOT_FOUND


async def test_another_origin_is_refused() -> None:
    cookie = await sync_to_async(signed_in)()
    async with socket("live", cookie, origin="http://evil.example") as talk:
        assert not await talk.connect()


async def test_a_session_that_ends_loses_its_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "CHECK_S", 0.1)
    await sync_to_async(new_run)("live")
    cookie = await sync_to_async(signed_in)()
    async with socket("live", cookie) as talk:
        assert await talk.connect()
        await talk.hear()
        await asyncio.sleep(0.3)
        await sync_to_async(User.objects.filter(username="ann").update)(is_active=False)
        assert (await talk.receive_output(5))["code"] == consumers.SIGNED_OUT


async def test_the_hub_stops_when_nobody_looks_and_survives_a_failing_database(monkeypatch: pytest.MonkeyPatch) -> None:
    run = await sync_to_async(new_run)("live")
    served = Hub()
    subscription = await served.join(run.pk)
    failures = []

    def failing(runs: object) -> dict[int, News]:
        failures.append(1)
        raise RuntimeError("away")

    monkeypatch.setattr(hub_module, "newest", failing)
    monkeypatch.setattr(hub_module, "ASK_S", 0.05)
    served.rung.set()
    await asyncio.sleep(0.5)
    assert failures
    assert served.task is not None
    assert not served.task.done()
    served.leave(subscription)
    assert served.task is None


@pytest.mark.skipif(not settings.REDIS_URL, reason="rings between processes need Redis")
async def test_a_ring_reaches_other_processes() -> None:
    heard: list[int] = []
    listening = asyncio.create_task(doorbell.follow_redis(heard.append))
    for _ in range(50):
        await sync_to_async(doorbell.ring)(7)
        if heard:
            break
        await asyncio.sleep(0.1)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert set(heard) == {7}

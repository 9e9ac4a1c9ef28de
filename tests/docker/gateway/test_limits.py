"""A cap on requests at once and a budget: workers are told, what is under way ends, and the ledger holds all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.docker.gateway.model import FakeModel, chat, whole

Starter = Callable[..., Any]


async def test_no_more_requests_than_allowed_reach_the_model_at_once(gateway_of: Starter, model: FakeModel) -> None:
    gateway = await gateway_of(most_at_once=3)
    busy, most = 0, 0

    async def count(seen: Any, writer: asyncio.StreamWriter) -> None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.05)
        busy -= 1
        await whole(chat())(seen, writer)

    model.usual = count
    assert {each.status_code for each in await asyncio.gather(*(gateway.ask() for _ in range(12)))} == {200}
    assert most == 3
    assert max(row["waited_ms"] for row in await gateway.rows()) >= 100


async def test_a_worker_that_leaves_the_queue_takes_no_place(gateway_of: Starter, model: FakeModel) -> None:
    gateway, gate = await gateway_of(most_at_once=1), asyncio.Event()

    async def wait(seen: Any, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await whole(chat())(seen, writer)

    model.acts.append(wait)
    first = asyncio.create_task(gateway.ask())
    while not model.seen:
        await asyncio.sleep(0.01)
    waiting = asyncio.create_task(gateway.ask())
    while (await gateway.read("/status"))["waiting"] == 0:
        await asyncio.sleep(0.01)
    waiting.cancel()
    while (await gateway.read("/status"))["waiting"]:
        await asyncio.sleep(0.01)
    gate.set()
    await first
    assert (await gateway.ask()).status_code == 200
    assert [row["status"] for row in await gateway.rows()] == [499, 200, 200]


async def test_a_spent_budget_is_said_to_the_worker_and_the_model_is_asked_no_more(
    gateway_of: Starter, model: FakeModel
) -> None:
    # each request costs 2,000 + 500 micro-dollars
    gateway = await gateway_of(budget_microusd=5_200)
    states = []
    for _ in range(3):
        assert (await gateway.ask()).status_code == 200
        states.append((await gateway.read("/status"))["budget"])
    refused = await gateway.ask()
    assert states == ["open", "near", "spent"]
    assert (refused.status_code, refused.json()["error"]["code"], len(model.seen)) == (402, "budget_spent", 3)
    assert "$0.01" in refused.json()["error"]["message"]
    assert [(row["status"], row["cost_microusd"]) for row in await gateway.rows()] == [(200, 2500)] * 3 + [(402, 0)]


async def test_a_budget_of_tokens_holds_without_any_price_and_over_a_restart(
    gateway_of: Starter, model: FakeModel
) -> None:
    gateway = await gateway_of(budget_tokens=1_050, prices=[])
    assert (await gateway.ask()).status_code == 200
    await gateway.stop()
    await gateway.start()
    assert ((await gateway.ask()).status_code, len(model.seen)) == (402, 1)


async def test_a_request_under_way_when_the_budget_ends_still_gets_its_answer(
    gateway_of: Starter, model: FakeModel
) -> None:
    gateway, gate = await gateway_of(budget_tokens=1_000), asyncio.Event()

    async def late(seen: Any, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        await whole(chat())(seen, writer)

    model.acts.append(late)
    under_way = asyncio.create_task(gateway.ask())
    while not model.seen:
        await asyncio.sleep(0.01)
    await gateway.ask()
    assert (await gateway.ask()).status_code == 402
    gate.set()
    assert (await under_way).status_code == 200
    assert (await gateway.read("/status"))["spent_tokens"] == 2_100

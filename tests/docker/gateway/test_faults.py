"""The model fails in every way it can: each request of a worker is one row of the ledger, none is lost and none is doubled."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.docker.gateway.conftest import KEY, Gateway
from tests.docker.gateway.model import Act, FakeModel, chat, hang, stream, tear, text, whole
from tests.docker.gateway.test_relay import STREAMED

Starter = Callable[..., Any]


def told(message: str, status: int, **headers: str) -> Act:
    return whole({"error": {"message": message, "type": "x"}}, status, **headers)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_passing_failure_is_tried_again_and_the_worker_sees_only_the_answer(
    gateway: Gateway, model: FakeModel, status: int
) -> None:
    model.acts.extend([told("busy", status), told("busy", status)])
    answer = await gateway.ask()
    (row,) = await gateway.rows()
    assert (answer.status_code, row["status"], row["input_tokens"]) == (200, 200, 1000)
    assert [each["status"] for each in row["tries"]] == [status, status, 200]


async def test_a_connection_that_breaks_before_the_answer_is_tried_again(gateway: Gateway, model: FakeModel) -> None:
    model.acts.append(tear)
    assert (await gateway.ask()).status_code == 200
    assert len(model.seen) == 2


async def test_a_lasting_failure_reaches_the_worker_with_the_models_words_and_its_pause(
    gateway_of: Starter, model: FakeModel
) -> None:
    gateway = await gateway_of(tries=2)
    model.usual = told("slow down", 429, retry_after="1")
    began = time.monotonic()
    answer = await gateway.ask()
    assert (answer.status_code, answer.headers["retry-after"], len(model.seen)) == (429, "1", 2)
    assert answer.json()["error"]["message"] == "slow down"
    assert time.monotonic() - began >= 1.0
    (row,) = await gateway.rows()
    assert (row["status"], row["input_tokens"], row["cost_microusd"]) == (429, 0, 0)
    assert "slow down" in row["error"]


async def test_a_pause_the_model_asks_for_is_kept_by_all_workers(gateway: Gateway, model: FakeModel) -> None:
    model.acts.append(told("slow down", 429, retry_after="1"))
    first = asyncio.create_task(gateway.ask())
    while not model.seen:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    began = time.monotonic()
    assert [each.status_code for each in await asyncio.gather(first, gateway.ask(), gateway.ask())] == [200] * 3
    assert time.monotonic() - began > 0.7


async def test_a_pause_longer_than_allowed_is_left_to_the_worker(gateway: Gateway, model: FakeModel) -> None:
    model.acts.append(told("tomorrow", 429, retry_after="86400"))
    assert ((await gateway.ask()).headers["retry-after"], len(model.seen)) == ("86400", 1)


async def test_a_refused_key_is_not_tried_again_and_its_text_never_reaches_the_worker(
    gateway: Gateway, model: FakeModel
) -> None:
    model.usual = told(f"Incorrect API key provided: {KEY}", 401)
    answer = await gateway.ask()
    assert (answer.status_code, answer.json()["error"]["code"], len(model.seen)) == (502, "upstream_refused_key", 1)
    assert KEY not in answer.text and KEY not in json.dumps(await gateway.rows())
    assert "refused the gateway's key" in (await gateway.read("/status"))["trouble"]


async def test_a_model_that_says_nothing_ends_as_a_timeout_and_is_not_asked_twice(
    gateway_of: Starter, model: FakeModel
) -> None:
    gateway = await gateway_of(idle_s=0.5)
    model.acts.append(hang)
    assert ((await gateway.ask()).status_code, len(model.seen)) == (504, 1)
    (row,) = await gateway.rows()
    assert (row["status"], row["input_tokens"]) == (504, None)  # what it had read by then is unknown, and not zero


@pytest.mark.parametrize(("then", "status"), [(tear, 502), (hang, 504)])
async def test_a_stream_that_breaks_breaks_for_the_worker_too(
    gateway_of: Starter, model: FakeModel, then: Act, status: int
) -> None:
    gateway = await gateway_of(idle_s=0.5)
    model.acts.append(stream(text("one"), then=then))
    got: list[bytes] = []

    async def listen() -> None:
        url = f"{gateway.url}/v1/chat/completions"
        async with gateway.client.stream("POST", url, json=STREAMED, headers=gateway.headers) as answer:
            async for piece in answer.aiter_raw():
                got.append(piece)

    with pytest.raises(httpx.RemoteProtocolError):
        await listen()
    (row,) = await gateway.rows()
    assert b"one" in b"".join(got)
    assert (row["status"], row["input_tokens"], len(model.seen)) == (status, None, 1)
    assert "Traceback" not in (gateway.folder / "log.txt").read_text()


async def test_a_worker_that_goes_away_ends_the_request_at_the_model(gateway: Gateway, model: FakeModel) -> None:
    gone = asyncio.Event()

    async def watch(seen: Any, writer: asyncio.StreamWriter) -> None:
        while not writer.transport.is_closing():
            writer.write(b"5\r\ndata:\r\n")
            await asyncio.sleep(0.02)
        gone.set()

    model.acts.append(stream(text("one"), then=watch))
    async with gateway.client.stream(
        "POST", f"{gateway.url}/v1/chat/completions", json=STREAMED, headers=gateway.headers
    ) as answer:
        await anext(answer.aiter_raw())
    await asyncio.wait_for(gone.wait(), 5)
    (row,) = await gateway.rows()
    assert (row["status"], row["error"]) == (499, "the worker went away")


async def test_a_storm_of_faults_leaves_one_row_for_each_request(gateway: Gateway, model: FakeModel) -> None:
    for n in range(60):
        model.acts.append([told("a", 429), told("b", 500), tear, whole(chat()), stream(text("x"), then=tear)][n % 5])
    answers = await asyncio.gather(*(gateway.ask() for _ in range(40)), return_exceptions=True)
    rows = await gateway.rows()
    assert len(rows) == len({row["request"] for row in rows}) == 40
    assert sum(len(row["tries"]) for row in rows) == len(model.seen)
    good = {
        each.headers["x-agensh-request"]
        for each in answers
        if isinstance(each, httpx.Response) and each.status_code == 200
    }
    assert good == {row["request"] for row in rows if row["status"] == 200}


async def test_a_gateway_that_is_stopped_or_killed_forgets_no_request(gateway: Gateway, model: FakeModel) -> None:
    for sign, said in ((signal.SIGTERM, "the gateway was stopped"), (signal.SIGKILL, "the gateway was killed")):
        model.acts.append(hang)
        asked = len(model.seen)
        task = asyncio.create_task(gateway.ask())
        while len(model.seen) == asked:
            await asyncio.sleep(0.01)
        url = gateway.url
        code = await gateway.stop(sign)
        assert code == (0 if sign == signal.SIGTERM else -signal.SIGKILL)
        answer = (await asyncio.gather(task, return_exceptions=True))[0]
        assert answer.status_code == 503 if sign == signal.SIGTERM else isinstance(answer, httpx.HTTPError)
        await gateway.start()
        assert gateway.url == url
        row = (await gateway.rows())[-1]
        assert (row["status"], row["error"], row["input_tokens"]) == (503, said, None)
    assert len(await gateway.rows()) == 2

"""Requests through a real gateway process to a model on a socket: what passes, when, and what the ledger says of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from tests.docker.gateway.conftest import KEY, Gateway
from tests.docker.gateway.model import FakeModel, chat, stream, text, used, whole

STREAMED = {
    "model": "m",
    "stream": True,
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"type": "function"}],
}


async def test_a_completion_reaches_the_worker_and_its_tokens_and_cost_the_ledger(
    gateway: Gateway, model: FakeModel
) -> None:
    model.acts.append(whole(chat(1000, 50, cached=400, reasoning=20)))
    answer = await gateway.ask(None, **{"X-Agensh-Turn": "3"})
    assert answer.json()["choices"][0]["message"]["content"] == "hello"
    (row,) = await gateway.rows()
    assert (row["worker"], row["turn"], row["purpose"], row["model"], row["status"]) == (1, 3, "work", "m", 200)
    assert (row["input_tokens"], row["cached_tokens"], row["output_tokens"], row["reasoning_tokens"]) == (
        1000,
        400,
        50,
        20,
    )
    # 600 fresh at $2, 400 cached at $0.50 and 50 out at $10 a million
    assert row["cost_microusd"] == 600 * 2 + 200 + 500
    assert row["request"] == answer.headers["x-agensh-request"]


async def test_the_model_gets_the_key_and_never_the_workers_token(gateway: Gateway, model: FakeModel) -> None:
    await gateway.ask()
    assert model.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert "token-1" not in json.dumps(model.seen[0].headers)


async def test_a_key_that_was_changed_in_its_file_is_used_from_the_next_request_on(
    gateway: Gateway, model: FakeModel
) -> None:
    await gateway.ask()
    (gateway.folder / "key").write_text("sk-another\n")
    await gateway.ask()
    assert model.seen[1].headers["authorization"] == "Bearer sk-another"


async def test_an_unknown_token_opens_nothing(gateway: Gateway, model: FakeModel) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"x-api-key": KEY}, {"Authorization": "Basic token-1"}):
        answer = await gateway.client.post(f"{gateway.url}/v1/chat/completions", json=STREAMED, headers=headers)
        assert answer.status_code == 401
    ledger = await gateway.client.get(f"{gateway.url}/ledger", headers=gateway.headers)
    assert (ledger.status_code, model.seen) == (403, [])


async def test_either_header_names_the_worker(gateway: Gateway) -> None:
    await gateway.client.post(f"{gateway.url}/v1/chat/completions", json=STREAMED, headers={"x-api-key": "token-17"})
    assert [row["worker"] for row in await gateway.rows()] == [17]


async def test_the_first_bytes_arrive_while_the_model_is_still_speaking(gateway: Gateway, model: FakeModel) -> None:
    gate = asyncio.Event()
    model.acts.append(
        stream(text("one"), text("two"), {"choices": [], "usage": used(10, 2)}, "data: [DONE]\n\n", gate=gate)
    )
    async with gateway.client.stream(
        "POST", f"{gateway.url}/v1/chat/completions", json=STREAMED, headers=gateway.headers
    ) as answer:
        pieces = answer.aiter_raw()
        got = await asyncio.wait_for(anext(pieces), 5)
        while b"two" not in got:
            got += await asyncio.wait_for(anext(pieces), 5)
        assert b"DONE" not in got
        gate.set()
        got += b"".join([piece async for piece in pieces])
    assert got.endswith(b"data: [DONE]\n\n")


async def test_usage_the_gateway_asked_for_is_counted_and_not_shown(gateway: Gateway, model: FakeModel) -> None:
    said = stream(text("one"), {"choices": [], "usage": used(10, 2)}, "data: [DONE]\n\n")
    model.acts.extend([said, said])
    hidden = await gateway.ask(STREAMED)
    shown = await gateway.ask({**STREAMED, "stream_options": {"include_usage": True}})
    assert model.seen[0].body["stream_options"] == {"include_usage": True}
    assert ("usage" in hidden.text, "usage" in shown.text) == (False, True)
    assert hidden.text == f"data: {json.dumps(text('one'))}\n\ndata: [DONE]\n\n"
    assert [row["input_tokens"] for row in await gateway.rows()] == [10, 10]


async def test_responses_are_metered_whole_and_streamed(gateway: Gateway, model: FakeModel) -> None:
    usage = {"input_tokens": 90, "output_tokens": 9, "input_tokens_details": {"cached_tokens": 60}}
    usage["output_tokens_details"] = {"reasoning_tokens": 4}
    done = {"id": "resp_1", "usage": usage, "output": []}
    model.acts.append(whole(done))
    begun = {"type": "response.created", "response": {"usage": None}}
    model.acts.append(stream(begun, {"type": "response.completed", "response": done}))
    for streamed in (False, True):
        await gateway.ask({"model": "m", "input": "hi", "tools": [{}], "stream": streamed}, "/v1/responses")
    for row in await gateway.rows():
        found = [row[name] for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")]
        assert (row["api"], found) == ("responses", [90, 60, 9, 4])


async def test_messages_count_what_was_read_from_and_written_to_the_cache_as_input(
    gateway: Gateway, model: FakeModel
) -> None:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30, "output_tokens": 1}
    model.acts.append(
        stream(
            {"type": "message_start", "message": {"usage": usage}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hi"}},
            {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 40}},
        )
    )
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{}], "stream": True}
    await gateway.ask(body, "/v1/messages?beta=true", **{"anthropic-version": "2023-06-01", "anthropic-beta": "x"})
    (row,) = await gateway.rows()
    assert [row[name] for name in ("input_tokens", "cached_tokens", "written_tokens", "output_tokens")] == [
        100,
        60,
        30,
        40,
    ]
    assert row["cost_microusd"] == 20 + 30 + 75 + 400
    assert (model.seen[0].path, model.seen[0].headers["anthropic-beta"]) == ("/v1/messages?beta=true", "x")


async def test_counting_tokens_is_free_and_leaves_no_row(gateway: Gateway, model: FakeModel) -> None:
    model.acts.append(whole({"input_tokens": 5}))
    answer = await gateway.ask({"model": "m", "messages": []}, "/v1/messages/count_tokens")
    assert (answer.json(), await gateway.rows()) == ({"input_tokens": 5}, [])


async def test_a_worker_cannot_choose_another_model_unless_the_endpoint_allows_it(
    gateway_of: Callable[..., Any], model: FakeModel
) -> None:
    strict, open_ = await gateway_of(), await gateway_of(other_models=True)
    for gateway in (strict, open_):
        await gateway.ask({"model": "dear-one", "messages": [], "tools": [{}]})
    assert [seen.body["model"] for seen in model.seen] == ["m", "dear-one"]
    (row,) = await open_.rows()
    assert (row["model"], row["cost_microusd"]) == ("dear-one", None)  # no price is known, so none is made up
    assert (await strict.client.get(f"{strict.url}/v1/models", headers=strict.headers)).json()["data"][0]["id"] == "m"


async def test_fields_an_endpoint_refuses_are_left_out_and_remembered(
    gateway_of: Callable[..., Any], model: FakeModel
) -> None:
    gateway = await gateway_of(strip=["store", "reasoning.summary"])
    refusal = {
        "error": {"message": "Unsupported parameter: 'reasoning_effort' is not supported", "param": "reasoning_effort"}
    }
    limit = {
        "error": {
            "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "param": "max_tokens",
        }
    }
    model.acts.extend([whole(refusal, 400), whole(limit, 400)])
    body = {"model": "m", "messages": [], "tools": [{}], "reasoning_effort": "high", "max_tokens": 9, "store": True}
    body["reasoning"] = {"summary": "auto", "effort": "low"}
    for _ in range(2):
        assert (await gateway.ask(body)).status_code == 200
    first, _, third, fourth = (seen.body for seen in model.seen)
    assert (first["reasoning_effort"], first["reasoning"], "store" in first) == ("high", {"effort": "low"}, False)
    assert ("reasoning_effort" in third, third["max_completion_tokens"]) == (False, 9)
    assert ("reasoning_effort" in fourth, "max_tokens" in fourth, fourth["max_completion_tokens"]) == (False, False, 9)
    rows = await gateway.rows()
    assert [[each["status"] for each in row["tries"]] for row in rows] == [[400, 400, 200], [200]]
    assert (await gateway.read("/status"))["learned"] == {"m": ["reasoning_effort"]}


async def test_a_request_that_is_none_is_refused_in_words_both_apis_read(gateway: Gateway, model: FakeModel) -> None:
    answer = await gateway.client.post(f"{gateway.url}/v1/messages", content=b"[1", headers=gateway.headers)
    assert (answer.status_code, answer.json()["type"], answer.json()["error"]["type"]) == (
        400,
        "error",
        "invalid_request_error",
    )
    assert (await gateway.ask(path="/v1/embeddings")).status_code == 404
    assert model.seen == []

"""The model APIs: three formats, whole and streamed, all saying the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from standins.model.app import make_app
from tests.docker.model import requests
from tests.docker.model.team import TASK

PATHS = {"chat": "/v1/chat/completions", "messages": "/v1/messages", "responses": "/v1/responses"}


@pytest.fixture
async def model() -> AsyncIterator[httpx.AsyncClient]:
    app = make_app({"task_dir": str(TASK), "seed": 5, "think_ms": 0})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://model") as client:
        yield client


async def ask(
    model: httpx.AsyncClient, wire: str, turns: list[requests.Turn], **extra: Any
) -> tuple[str, dict[str, Any]]:
    """The tool that is called, as the harness names it, and its arguments; ("", {}) for words alone."""
    body = getattr(requests, wire)(turns, **extra)
    answer = await model.post(PATHS[wire], json=body)
    assert answer.status_code == 200
    data = answer.json()
    if wire == "chat":
        calls = data["choices"][0]["message"].get("tool_calls") or []
        return (calls[0]["function"]["name"], json.loads(calls[0]["function"]["arguments"])) if calls else ("", {})
    blocks = data["content"] if wire == "messages" else data["output"]
    for block in blocks:
        if block["type"] == "tool_use":
            return block["name"], block["input"]
        if block["type"] == "function_call":
            return block["name"], json.loads(block["arguments"])
    return "", {}


@pytest.mark.parametrize("wire", PATHS)
async def test_a_turn_starts_with_the_board_and_the_pulls(model: httpx.AsyncClient, wire: str) -> None:
    first, _ = await ask(model, wire, [])
    second, _ = await ask(model, wire, requests.START[:1])
    assert first.endswith("board_read")
    assert second.endswith("repo_pulls")


async def test_all_formats_decide_the_same(model: httpx.AsyncClient) -> None:
    claims = [(await ask(model, wire, requests.START))[1] for wire in PATHS]
    assert claims[0] == claims[1] == claims[2]
    assert claims[0]["type"] == "CLAIM"


async def test_each_harness_is_called_by_its_own_names(model: httpx.AsyncClient) -> None:
    shells = {wire: await ask(model, wire, requests.START[:2]) for wire in PATHS}
    assert shells["chat"][0] == "shell"
    assert shells["messages"][0] == "Bash"
    assert shells["responses"][0] == "exec_command"
    command = shells["chat"][1]["command"]
    assert shells["messages"][1] == {"command": command, "description": "Work in my clone"}
    assert shells["responses"][1] == {"cmd": command}
    named = (await model.post(PATHS["responses"], json=requests.responses([]))).json()["output"][-1]
    assert (named["namespace"], named["name"]) == ("mcp__team", "board_read")


@pytest.mark.parametrize(
    ("wire", "extra"),
    [
        ("chat", {"tool_choice": "none"}),
        ("chat", {"response_format": {"type": "json_schema"}}),
        ("chat", {"tools": []}),
        ("messages", {"tool_choice": {"type": "none"}}),
        ("messages", {"prompt": "CRITICAL: Respond with TEXT ONLY. Summarise."}),
        ("responses", {"tool_choice": "none"}),
        ("responses", {"text": {"format": {"type": "json_schema"}}}),
    ],
)
async def test_a_request_for_words_gets_words(model: httpx.AsyncClient, wire: str, extra: dict[str, Any]) -> None:
    body = getattr(requests, wire)(requests.START, **{k: v for k, v in extra.items() if k == "prompt"})
    body |= {k: v for k, v in extra.items() if k != "prompt"}
    text = (await model.post(PATHS[wire], json=body)).text
    assert "tool_use" not in text
    assert "tool_calls" not in text
    assert "function_call" not in text


def events(text: str) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


async def test_streams_carry_the_same_call_and_the_usage(model: httpx.AsyncClient) -> None:
    wanted = {wire: await ask(model, wire, requests.START) for wire in PATHS}
    texts = {
        wire: (await model.post(PATHS[wire], json=getattr(requests, wire)(requests.START, stream=True))).text
        for wire in PATHS
    }
    chunks = events(texts["chat"])
    call = next(c["choices"][0]["delta"]["tool_calls"][0] for c in chunks if "tool_calls" in str(c))
    assert json.loads(call["function"]["arguments"]) == wanted["chat"][1]
    assert texts["chat"].endswith("data: [DONE]\n\n")
    blocks = events(texts["messages"])
    delta = next(e["delta"] for e in blocks if e["type"] == "content_block_delta" and "partial_json" in e["delta"])
    assert json.loads(delta["partial_json"]) == wanted["messages"][1]
    assert blocks[-1]["type"] == "message_stop"
    done = events(texts["responses"])[-1]
    assert done["type"] == "response.completed"
    assert json.loads(done["response"]["output"][-1]["arguments"]) == wanted["responses"][1]
    assert done["response"]["usage"]["input_tokens"] > 0


async def test_usage_of_a_stream_comes_when_asked_for(model: httpx.AsyncClient) -> None:
    body = requests.chat(requests.START, stream=True, stream_options={"include_usage": True})
    usage = events((await model.post(PATHS["chat"], json=body)).text)[-1]["usage"]
    assert usage["prompt_tokens"] > usage["prompt_tokens_details"]["cached_tokens"] > 0


async def test_the_same_request_gets_the_same_answer_and_call_ids_differ_along_the_way(
    model: httpx.AsyncClient,
) -> None:
    ids = []
    for length in (0, 1, 2, 3, 3):
        body = requests.chat(requests.START[:length])
        ids.append((await model.post(PATHS["chat"], json=body)).json()["choices"][0]["message"]["tool_calls"][0]["id"])
    assert ids[3] == ids[4]
    assert len(set(ids)) == 4


async def test_junk_is_refused_and_the_models_are_listed(model: httpx.AsyncClient) -> None:
    for body in (b"", b"[]", b'{"messages": 7}', b"\xff"):
        assert (await model.post(PATHS["chat"], content=body)).status_code == 400
    assert (await model.get("/v1/models")).json()["data"][0]["id"] == "scripted"
    assert (await model.get("/health")).json() == {"ok": True}


async def test_faults_come_before_the_model_at_the_rates_asked_for() -> None:
    app = make_app({"task_dir": str(TASK), "think_ms": 0, "faults": {"rate_429": 0.3, "rate_500": 0.3}})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://model") as client:
        codes = [(await client.post(PATHS["chat"], json=requests.chat([]))).status_code for _ in range(60)]
    assert {200, 429, 500} == set(codes)
    assert 5 < codes.count(429) < 35


async def test_a_reminder_that_claude_code_puts_between_begins_no_turn(model: httpx.AsyncClient) -> None:
    """It comes as a message of role `system` behind the newest result; taken for the user's words it would start the script anew."""
    body = requests.messages(requests.START)
    plain = (await model.post(PATHS["messages"], json=body)).json()
    reminder = {"role": "system", "content": "The task tools haven't been used recently."}
    with_reminder = {**body, "messages": [*body["messages"], reminder]}
    answer = (await model.post(PATHS["messages"], json=with_reminder)).json()
    called = [block["input"] for block in answer["content"] if block["type"] == "tool_use"]
    assert called == [block["input"] for block in plain["content"] if block["type"] == "tool_use"]
    assert called[0]["type"] == "CLAIM"

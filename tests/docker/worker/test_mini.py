"""The small agent's own parts: the conversation, the endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.docker.worker.conftest import serving
from worker.mini import model as models
from worker.mini.history import DROPPED, close_calls, tokens, trim
from worker.mini.kept import Kept
from worker.mini.model import Answer, Model, ModelError, Spent
from worker.mini.session import Session
from worker.mini.settings import BadSettings, Settings


def conversation(turns: int, size: int = 4_000) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "first prompt"}]
    for n in range(turns):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "shell", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": "x" * size})
    return messages


def test_old_results_are_dropped_first_and_the_first_prompt_never() -> None:
    messages = conversation(100)
    limit = tokens(messages) // 2
    assert trim(messages, limit) > 0
    assert tokens(messages) <= limit
    assert messages[1]["content"] == "first prompt" and len(messages) == 202
    assert messages[3]["content"] == DROPPED and messages[-1]["content"] != DROPPED
    assert trim(messages, limit) == 0


def test_whole_exchanges_go_where_dropped_results_are_not_enough() -> None:
    messages = conversation(400, 50)
    trim(messages, 4_000)
    assert tokens(messages) <= 4_000
    assert [message["role"] for message in messages[:4]] == ["system", "user", "assistant", "tool"]
    called = {call["id"] for message in messages for call in message.get("tool_calls", [])}
    assert called == {message["tool_call_id"] for message in messages if message["role"] == "tool"}


def test_open_calls_are_closed() -> None:
    messages = conversation(1)
    del messages[-1]
    close_calls(messages, "cancelled")
    assert messages[-1] == {"role": "tool", "tool_call_id": "c0", "content": "cancelled"}
    close_calls(messages, "cancelled")
    assert len(messages) == 4


class Endpoint:
    """Answers from a list; remembers what it was asked."""

    def __init__(self, *answers: Response) -> None:
        self.answers, self.asked = list(answers), []  # type: ignore[var-annotated]
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.complete, methods=["POST"])])

    async def complete(self, request: Request) -> Response:
        self.asked.append((await request.json(), request.headers.get("authorization")))
        return self.answers.pop(0)


def whole(text: str) -> Response:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return JSONResponse({"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})


async def ask(endpoint: Endpoint, **settings: Any) -> Answer:
    async with serving(endpoint.app) as url:
        model = Model(Settings(f"{url}/v1", settings.pop("model", "fake"), **settings))
        try:
            return await model.complete([{"role": "user", "content": "hi"}], [])
        finally:
            await model.close()


async def test_an_endpoint_that_does_not_stream_is_understood() -> None:
    endpoint = Endpoint(whole("hello"))
    answer = await ask(endpoint, token="sk-1", effort="high")
    assert (answer.text, answer.finish, answer.usage["prompt_tokens"]) == ("hello", "stop", 5)
    asked, key = endpoint.asked[0]
    assert key == "Bearer sk-1" and asked["reasoning_effort"] == "high" and asked["max_tokens"] == 128_000
    assert "tools" not in asked


async def test_the_newer_models_are_asked_in_the_newer_words() -> None:
    endpoint = Endpoint(whole("hello"))
    await ask(endpoint, model="gpt-5.6-sol")
    assert endpoint.asked[0][0]["max_completion_tokens"] == 128_000 and "max_tokens" not in endpoint.asked[0][0]


async def test_an_option_the_endpoint_does_not_know_is_left_out_from_then_on() -> None:
    refused = JSONResponse({"error": {"message": "unknown field reasoning_effort"}}, 400)
    endpoint = Endpoint(refused, whole("hello"))
    assert (await ask(endpoint, effort="high")).text == "hello"
    assert "reasoning_effort" not in endpoint.asked[1][0]


async def test_trouble_that_may_pass_is_waited_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "PAUSES", (0.01, 0.01, 0.01, 0.01))
    broken = PlainTextResponse("data: {not json\n\n", media_type="text/event-stream")
    inside = PlainTextResponse('data: {"error": {"message": "overloaded"}}\n\n', media_type="text/event-stream")
    busy = JSONResponse({}, 429, {"Retry-After": "0.01"})
    endpoint = Endpoint(JSONResponse({}, 503), busy, broken, inside, whole("hello"))
    assert (await ask(endpoint)).text == "hello"


@pytest.mark.parametrize(
    ("status", "reason", "kind"),
    [
        (401, "no", "authentication_failed"),
        (400, "context_length_exceeded", "too_long"),
        (400, "no", "invalid_request"),
        (500, "no", "server_error"),
        (429, "no", "rate_limit"),
    ],
)
async def test_trouble_that_does_not_pass_has_a_kind(
    monkeypatch: pytest.MonkeyPatch, status: int, reason: str, kind: str
) -> None:
    monkeypatch.setattr(models, "PAUSES", (0.01,))
    endpoint = Endpoint(*(JSONResponse({"error": {"message": reason}}, status) for _ in range(2)))
    with pytest.raises(ModelError) as failed:
        await ask(endpoint)
    assert failed.value.kind == kind


async def test_an_endpoint_that_is_gone_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "PAUSES", (0.01,))
    model = Model(Settings("http://127.0.0.1:9/v1", "fake"))
    with pytest.raises(ModelError) as failed:
        await model.complete([], [])
    assert failed.value.kind == "unreachable"
    await model.close()


def test_a_call_in_pieces_is_put_together() -> None:
    answer = Answer()
    pieces = [{"id": "c", "function": {"name": "sh"}}, {"function": {"name": "ell", "arguments": '{"a"'}}]
    for piece in [*pieces, {"function": {"arguments": ": 1}"}}]:
        answer.take({"choices": [{"delta": {"tool_calls": [{"index": 0, **piece}]}}]})
    assert answer.calls == [{"id": "c", "name": "shell", "arguments": '{"a": 1}'}]


class Said:
    """A model of canned answers."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    async def complete(self, messages: Any, tools: Any) -> Answer:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def session(tmp_path: Path, told: list[Any], *answers: Any, **settings: Any) -> Session:
    async def tell(event: str, **facts: Any) -> None:
        told.append((event, facts))

    return Session(
        Settings("http://x", "fake", **settings), Said(*answers), tmp_path, [], tell, Kept(tmp_path, "mini-x")
    )  # type: ignore[arg-type]


def calling(*calls: tuple[str, str]) -> Answer:
    return Answer(calls=[{"id": "call_0", "name": name, "arguments": arguments} for name, arguments in calls])


async def test_repeated_ids_broken_arguments_and_unknown_tools_are_answers(tmp_path: Path) -> None:
    told: list[Any] = []
    odd = calling(("shell", '{"command": "echo a"}'), ("shell", "{oops"), ("nothing", "{}"), ("shell", "[1]"))
    spent = Spent()
    one = session(
        tmp_path, told, odd, Answer("done", finish="stop", usage={"prompt_tokens": 3, "completion_tokens": 1})
    )
    assert await one.prompt("go", spent) == "end_turn"
    ids = [facts["id"] for event, facts in told if event == "call"]
    assert ids == ["call_0", "call_0-2", "call_0-3", "call_0-4"]
    assert [facts["failed"] for event, facts in told if event == "done"] == [False, True, True, True]
    results = [json.loads(message["content"]) for message in one._messages if message["role"] == "tool"]
    assert results[0] == {"exit_code": 0, "output": "a\n"} and "no tool is named" in results[2]["error"]
    assert (spent.input, spent.output) == (3, 1)


async def test_a_turn_that_never_ends_is_ended(tmp_path: Path) -> None:
    answers = [calling(("shell", '{"command": "true"}')) for _ in range(3)]
    assert await session(tmp_path, [], *answers, most_calls=3).prompt("go", Spent()) == "max_turn_requests"


async def test_why_the_model_stopped_is_why_the_turn_stopped(tmp_path: Path) -> None:
    assert await session(tmp_path, [], Answer("x", finish="length")).prompt("go", Spent()) == "max_tokens"
    assert await session(tmp_path, [], Answer("x", finish="content_filter")).prompt("go", Spent()) == "refusal"


async def test_a_conversation_too_long_for_the_endpoint_is_trimmed_and_asked_again(tmp_path: Path) -> None:
    one = session(tmp_path, [], ModelError("too_long", "x"), Answer("done", finish="stop"))
    assert await one.prompt("go", Spent()) == "end_turn"


def test_settings_say_what_is_missing() -> None:
    good = {"AGENSH_MODEL_URL": "http://127.0.0.1:1/v1/", "AGENSH_MODEL": "m", "AGENSH_OUTPUT_TOKENS": "10"}
    settings = Settings.read(good)
    assert (settings.base_url, settings.input_tokens, settings.output_tokens) == ("http://127.0.0.1:1/v1", 272_000, 10)
    for wrong in ({}, {**good, "AGENSH_MODEL_URL": "ftp://x"}, {**good, "AGENSH_MODEL": ""}):
        with pytest.raises(BadSettings, match="AGENSH_MODEL"):
            Settings.read(wrong)
    with pytest.raises(BadSettings, match="AGENSH_OUTPUT_TOKENS must be a number"):
        Settings.read({**good, "AGENSH_OUTPUT_TOKENS": "0"})

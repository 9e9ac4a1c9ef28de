"""The model endpoint: one chat completion at a time, streamed, tried again where that may help."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from worker.mini.settings import Settings

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
LONGEST_PAUSE = 30.0
OPTIONAL = ("reasoning_effort", "stream_options", "max_tokens", "max_completion_tokens")
KINDS = {401: "authentication_failed", 403: "authentication_failed", 429: "rate_limit"}


class ModelError(Exception):
    """No answer. `kind`: rate_limit, authentication_failed, server_error, invalid_request, too_long or unreachable."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass
class Spent:
    """Tokens: input includes cached, output includes reasoning."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    def add(self, usage: dict[str, Any]) -> None:
        """Count one request."""
        self.input += int(usage.get("prompt_tokens") or 0)
        self.output += int(usage.get("completion_tokens") or 0)
        self.cached += int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
        self.reasoning += int((usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0)


@dataclass
class Answer:
    """A model's message: text, thought and tool calls, and why it ended."""

    text: str = ""
    thought: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    def take(self, chunk: dict[str, Any]) -> None:
        """One chunk of a stream, or a whole completion."""
        self.usage = chunk.get("usage") or self.usage
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or choice.get("message") or {}
            self.text += delta.get("content") or ""
            self.thought += delta.get("reasoning_content") or delta.get("reasoning") or ""
            self.finish = choice.get("finish_reason") or self.finish
            for call in delta.get("tool_calls") or []:
                self._call(call)

    def _call(self, part: dict[str, Any]) -> None:
        index = part.get("index", len(self.calls))
        while len(self.calls) <= index:
            self.calls.append({"id": "", "name": "", "arguments": ""})
        call, said = self.calls[index], part.get("function") or {}
        call["id"] = part.get("id") or call["id"]
        call["name"] += said.get("name") or ""
        call["arguments"] += said.get("arguments") or ""


class Model:
    """A client of one endpoint. `complete` is the only call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        secure = settings.base_url.startswith("https:")
        timeout = httpx.Timeout(settings.idle_s, connect=10)
        self._client = httpx.AsyncClient(timeout=timeout, trust_env=secure, verify=secure)
        self._without: set[str] = set()

    async def complete(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
        """The next message. Raises ModelError when trying again has not helped or cannot help."""
        for pause in (*PAUSES, None):
            try:
                return await self._once(messages, tools)
            except _Again as again:
                if pause is None:
                    raise ModelError(again.kind, str(again)) from None
                await asyncio.sleep(min(LONGEST_PAUSE, max(pause, again.after)))
            except httpx.HTTPError as error:
                if pause is None:
                    raise ModelError("unreachable", f"{type(error).__name__}: {error}") from None
                await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()

    async def _once(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
        while True:
            url, headers = f"{self._settings.base_url}/chat/completions", {}
            if token := self._settings.token:
                headers["Authorization"] = f"Bearer {token}"
            async with self._client.stream("POST", url, json=self._request(messages, tools), headers=headers) as answer:
                if answer.status_code == 200:
                    return await _read(answer)
                reason = (await answer.aread()).decode("utf-8", "replace")[:1000]
                if answer.status_code == 400 and self._drop_option(reason):
                    continue
                raise _trouble(answer, reason)

    def _request(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        newer = self._settings.model.startswith(("gpt-5", "gpt-6", "o1", "o3", "o4"))
        asked: dict[str, Any] = {
            "model": self._settings.model,
            "messages": messages,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_completion_tokens" if newer else "max_tokens": self._settings.output_tokens,
        }
        if tools:
            asked["tools"] = tools
        if self._settings.effort:
            asked["reasoning_effort"] = self._settings.effort
        return {name: value for name, value in asked.items() if name not in self._without}

    def _drop_option(self, reason: str) -> bool:
        """An endpoint that names an optional field as the fault is asked again without it, from now on."""
        for name in OPTIONAL:
            if name in reason and name not in self._without:
                self._without.add(name)
                return True
        return False


class _Again(Exception):
    def __init__(self, kind: str, reason: str, after: float) -> None:
        super().__init__(reason)
        self.kind, self.after = kind, after


def _trouble(answer: httpx.Response, reason: str) -> Exception:
    status = answer.status_code
    said = f"the model endpoint answered {status}: {reason}"
    if status in (408, 409, 425, 429) or status >= 500:
        try:
            after = float(answer.headers.get("Retry-After", 0))
        except ValueError:
            after = 0.0
        return _Again(KINDS.get(status, "server_error"), said, after)
    if status in (400, 413) and any(
        word in reason for word in ("context_length", "context length", "too long", "too many tokens")
    ):
        return ModelError("too_long", said)
    return ModelError(KINDS.get(status, "invalid_request"), said)


async def _read(response: httpx.Response) -> Answer:
    """A stream of events, or plain JSON from an endpoint that does not stream."""
    answer = Answer()
    try:
        if "event-stream" not in response.headers.get("Content-Type", ""):
            answer.take(json.loads(await response.aread()))
        else:
            async for data in _events(response):
                if "error" in data:
                    raise _Again("server_error", json.dumps(data["error"])[:1000], 0)
                answer.take(data)
    except (ValueError, AttributeError, TypeError) as error:
        raise _Again("server_error", f"the model's answer cannot be read: {error}", 0) from None
    if not (answer.finish or answer.text or answer.calls):
        raise _Again("server_error", "the model's answer is empty", 0)
    return answer


async def _events(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in response.aiter_lines():
        if line.startswith("data:"):
            data = line[5:].strip()
            if data == "[DONE]":
                return
            yield json.loads(data)

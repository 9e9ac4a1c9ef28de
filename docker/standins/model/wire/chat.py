"""`/v1/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from standins.model.mind import Answer, as_text
from standins.model.reading import Request, Said, conversation, tokens, toolbox_of


def read(body: dict[str, Any]) -> Request:
    """A request of this API."""
    toolbox = toolbox_of(body.get("tools") or [])
    messages = body.get("messages") or []
    schema = (body.get("response_format") or {}).get("type") in ("json_schema", "json_object")
    quiet = body.get("tool_choice") == "none" or schema
    talk = conversation(list(_said(messages)), toolbox, quiet)
    sizes = [tokens(json.dumps(message)) for message in messages]
    return Request(
        talk,
        toolbox,
        bool(body.get("stream")),
        str(body.get("model") or "scripted"),
        sum(sizes),
        sum(sizes[:-1]),
        bool((body.get("stream_options") or {}).get("include_usage")),
    )


def _said(messages: list[dict[str, Any]]) -> Iterator[Said]:
    for message in messages:
        role = message.get("role")
        if role == "user":
            yield Said("user", as_text(message.get("content")))
        elif role == "tool":
            yield Said("result", as_text(message.get("content")), str(message.get("tool_call_id")))
        elif role == "assistant":
            for call in message.get("tool_calls") or []:
                yield Said("call", "", str(call.get("id")), str((call.get("function") or {}).get("name")))


def _call(request: Request, answer: Answer, id: str) -> dict[str, Any] | None:
    if answer.call is None:
        return None
    plain = answer.call.tool
    arguments = request.toolbox.arguments(plain, answer.call.arguments)
    function = {"name": request.toolbox.tool(plain).name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": f"call_{id}", "type": "function", "function": function}


def _usage(request: Request, answer: Answer, call: dict[str, Any] | None) -> dict[str, Any]:
    output = tokens(answer.text + (json.dumps(call) if call else ""))
    return {
        "prompt_tokens": request.input_tokens,
        "completion_tokens": output,
        "total_tokens": request.input_tokens + output,
        "prompt_tokens_details": {"cached_tokens": request.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def whole(request: Request, answer: Answer, id: str, now: int) -> dict[str, Any]:
    """The answer in one piece."""
    call = _call(request, answer, id)
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if call:
        message["tool_calls"] = [call]
    return {
        "id": f"chatcmpl-{id}",
        "object": "chat.completion",
        "created": now,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}],
        "usage": _usage(request, answer, call),
    }


def stream(request: Request, answer: Answer, id: str, now: int) -> Iterator[str]:
    """The answer as server-sent events."""
    call = _call(request, answer, id)
    base = {"id": f"chatcmpl-{id}", "object": "chat.completion.chunk", "created": now, "model": request.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return f"data: {json.dumps({**base, 'choices': [choice]}, ensure_ascii=False)}\n\n"

    yield chunk({"role": "assistant", "content": answer.text})
    if call:
        yield chunk({"tool_calls": [{"index": 0, **call}]})
    yield chunk({}, "tool_calls" if call else "stop")
    if request.include_usage:
        yield f"data: {json.dumps({**base, 'choices': [], 'usage': _usage(request, answer, call)})}\n\n"
    yield "data: [DONE]\n\n"

"""`/v1/responses`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from standins.model.mind import Answer, as_text
from standins.model.reading import Request, Said, conversation, tokens, toolbox_of

CALLS = ("function_call", "local_shell_call", "custom_tool_call")


def read(body: dict[str, Any]) -> Request:
    """A request of this API."""
    toolbox = toolbox_of(body.get("tools") or [])
    given = body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    form = ((body.get("text") or {}).get("format") or {}).get("type")
    quiet = body.get("tool_choice") == "none" or form in ("json_schema", "json_object")
    talk = conversation(list(_said(items)), toolbox, quiet)
    sizes = [tokens(json.dumps(item)) for item in items]
    return Request(
        talk, toolbox, bool(body.get("stream")), str(body.get("model") or "scripted"), sum(sizes), sum(sizes[:-1])
    )


def _said(items: list[dict[str, Any]]) -> Iterator[Said]:
    for item in items:
        kind = item.get("type") or "message"
        if kind == "message" and item.get("role") == "user":
            yield Said("user", as_text(item.get("content")))
        elif kind in CALLS:
            name = item.get("name") or "local_shell"
            yield Said("call", "", str(item.get("call_id")), str(name))
        elif kind.endswith("_output"):
            yield Said("result", as_text(item.get("output")), str(item.get("call_id")))


def _items(request: Request, answer: Answer, id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        items.append(
            {"type": "message", "id": f"msg_{id}", "role": "assistant", "status": "completed", "content": [part]}
        )
    if answer.call is not None:
        tool = request.toolbox.tool(answer.call.tool)
        arguments = request.toolbox.arguments(answer.call.tool, answer.call.arguments)
        call = {
            "type": "function_call",
            "id": f"fc_{id}",
            "call_id": f"call_{id}",
            "name": tool.name,
            "arguments": json.dumps(arguments, ensure_ascii=False),
            "status": "completed",
        }
        items.append(call | ({"namespace": tool.namespace} if tool.namespace else {}))
    return items


def whole(request: Request, answer: Answer, id: str, now: int) -> dict[str, Any]:
    """The answer in one piece."""
    items = _items(request, answer, id)
    output = tokens(json.dumps(items))
    return {
        "id": f"resp_{id}",
        "object": "response",
        "created_at": now,
        "status": "completed",
        "model": request.model,
        "output": items,
        "usage": {
            "input_tokens": request.input_tokens,
            "input_tokens_details": {"cached_tokens": request.cached_tokens},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": request.input_tokens + output,
        },
    }


def stream(request: Request, answer: Answer, id: str, now: int) -> Iterator[str]:
    """The answer as server-sent events."""
    done = whole(request, answer, id, now)
    begun = {**done, "status": "in_progress", "output": [], "usage": None}
    number = 0

    def event(kind: str, **fields: Any) -> str:
        nonlocal number
        data = {"type": kind, "sequence_number": number, **fields}
        number += 1
        return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"

    yield event("response.created", response=begun)
    yield event("response.in_progress", response=begun)
    for index, item in enumerate(done["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        if item["type"] == "message":
            yield event(
                "response.output_item.added", output_index=index, item={**item, "status": "in_progress", "content": []}
            )
            empty = {"type": "output_text", "text": "", "annotations": []}
            yield event("response.content_part.added", **at, content_index=0, part=empty)
            yield event("response.output_text.delta", **at, content_index=0, delta=answer.text)
            yield event("response.output_text.done", **at, content_index=0, text=answer.text)
            yield event("response.content_part.done", **at, content_index=0, part=item["content"][0])
        else:
            yield event(
                "response.output_item.added",
                output_index=index,
                item={**item, "status": "in_progress", "arguments": ""},
            )
            yield event("response.function_call_arguments.delta", **at, delta=item["arguments"])
            yield event("response.function_call_arguments.done", **at, arguments=item["arguments"])
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=done)

"""`/v1/messages` (Anthropic)."""

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
    form = ((body.get("output_config") or {}).get("format") or body.get("output_format") or {}).get("type")
    quiet = (body.get("tool_choice") or {}).get("type") == "none" or form == "json_schema"
    talk = conversation(list(_said(messages)), toolbox, quiet)
    sizes = [tokens(json.dumps(message)) for message in messages]
    return Request(
        talk, toolbox, bool(body.get("stream")), str(body.get("model") or "scripted"), sum(sizes), sum(sizes[:-1])
    )


def _said(messages: list[dict[str, Any]]) -> Iterator[Said]:
    for message in messages:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if message.get("role") == "assistant":
            for block in blocks:
                if block.get("type") == "tool_use":
                    yield Said("call", "", str(block.get("id")), str(block.get("name")))
        elif results:
            for block in results:
                yield Said("result", as_text(block.get("content")), str(block.get("tool_use_id")))
        elif message.get("role") == "user":  # Claude Code's own reminders come as messages of role `system`
            # a harness puts its reminders before the user's words, as blocks of one message
            texts = [str(block.get("text") or "") for block in blocks if block.get("type") == "text"]
            own = [text for text in texts if not text.lstrip().startswith("<system-reminder>")]
            yield Said("user", "\n".join(own or texts))


def _blocks(request: Request, answer: Answer, id: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": answer.text}] if answer.text else []
    if answer.call is not None:
        plain = answer.call.tool
        arguments = request.toolbox.arguments(plain, answer.call.arguments)
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{id}", "name": request.toolbox.tool(plain).name, "input": arguments}
        )
    return blocks


def whole(request: Request, answer: Answer, id: str, now: int) -> dict[str, Any]:
    """The answer in one piece. Input tokens of this API leave out the cached ones."""
    blocks = _blocks(request, answer, id)
    return {
        "id": f"msg_{id}",
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": blocks,
        "stop_reason": "tool_use" if answer.call else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": request.input_tokens - request.cached_tokens,
            "cache_read_input_tokens": request.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": tokens(json.dumps(blocks)),
        },
    }


def stream(request: Request, answer: Answer, id: str, now: int) -> Iterator[str]:
    """The answer as server-sent events."""
    done = whole(request, answer, id, now)
    usage = {**done["usage"], "output_tokens": 1}

    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields}, ensure_ascii=False)}\n\n"

    yield event("message_start", message={**done, "content": [], "stop_reason": None, "usage": usage})
    for index, block in enumerate(done["content"]):
        start: dict[str, Any]
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"], ensure_ascii=False)}
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    closing = {"stop_reason": done["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=closing, usage={"output_tokens": done["usage"]["output_tokens"]})
    yield event("message_stop")

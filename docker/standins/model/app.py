"""The HTTP side: three model APIs, a list of models, a pause for thought, faults in front."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from standins.model.draw import draw
from standins.model.faults import Faults
from standins.model.mind import decide, steady
from standins.model.task import Task
from standins.model.wire import chat, messages, responses

MODEL = "scripted"
THINK_MS = 600


def make_app(config: dict[str, Any]) -> Starlette:
    """The application for a configuration: `task_dir`, `seed`, `think_ms`, `faults`, `steps`."""
    seed = str(config.get("seed", ""))
    task = Task.read(Path(config["task_dir"]))
    think_s = float(config.get("think_ms", THINK_MS)) / 1000
    faults, steps = Faults.read(config, seed), int(config.get("steps") or 0)

    async def answer(http: HttpRequest, wire: ModuleType) -> Response:
        fault = faults.next()
        if fault == "hang":
            await asyncio.sleep(faults.hang_s)
            fault = "500"
        if fault is not None:
            kind = "rate_limit_error" if fault == "429" else "server_error"
            error = {"error": {"type": kind, "message": f"{kind}: made by the fault layer"}}
            return JSONResponse(error, int(fault), {"retry-after": "1"} if fault == "429" else {})
        try:
            body = json.loads(await http.body())
            request = wire.read(body)
        except (ValueError, TypeError, AttributeError, KeyError):
            return JSONResponse(
                {"error": {"type": "invalid_request_error", "message": "not a request of this API"}}, 400
            )
        key = request.conversation.key()
        talk = request.conversation
        decided = steady(steps, talk) if steps else decide(seed, task, talk)
        await asyncio.sleep(think_s * (0.7 + 0.6 * draw(seed, key)))
        id = hashlib.sha256(f"{seed}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
        now = int(time.time())
        if not request.stream:
            return JSONResponse(wire.whole(request, decided, id, now))

        async def events() -> AsyncIterator[str]:
            for event in wire.stream(request, decided, id, now):
                yield event

        return StreamingResponse(events(), media_type="text/event-stream")

    async def completions(http: HttpRequest) -> Response:
        return await answer(http, chat)

    async def respond(http: HttpRequest) -> Response:
        return await answer(http, responses)

    async def message(http: HttpRequest) -> Response:
        return await answer(http, messages)

    async def count_tokens(http: HttpRequest) -> Response:
        return JSONResponse({"input_tokens": len(await http.body()) // 4})

    async def models(http: HttpRequest) -> Response:
        row = {"id": MODEL, "object": "model", "type": "model", "display_name": "Scripted model", "owned_by": "agensh"}
        return JSONResponse({"object": "list", "data": [row], "has_more": False})

    async def health(http: HttpRequest) -> Response:
        return JSONResponse({"ok": True})

    return Starlette(
        routes=[
            Route("/v1/chat/completions", completions, methods=["POST"]),
            Route("/v1/responses", respond, methods=["POST"]),
            Route("/v1/messages", message, methods=["POST"]),
            Route("/v1/messages/count_tokens", count_tokens, methods=["POST"]),
            Route("/v1/models", models),
            Route("/health", health),
        ]
    )

"""The chat as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from standins.calls import Calls
from standins.chat import api_channels, api_people, api_posts
from standins.chat.chat import Chat
from standins.chat.handlers import HANDLERS
from standins.web import Refused, listed_calls, routes, unknown

CALLS = listed_calls(Path(__file__).with_name("calls.json"))
PARTS = (api_people, api_channels, api_posts)


def problem(refused: Refused) -> dict[str, Any]:
    """An error as Mattermost says it."""
    return {
        "id": refused.error or "api.context.invalid_param.app_error",
        "message": refused.message,
        "detailed_error": "",
        "request_id": "",
        "status_code": refused.status,
    }


def make_app(config: dict[str, Any], url: str, admin: tuple[str, str]) -> Starlette:
    """The application; its state lives in `data_dir` and survives it."""
    chat = Chat(config["data_dir"], url)
    chat.ensure_admin(*admin)
    calls = Calls(config["data_dir"])

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        chat.store.close()

    async def missing(request: Request) -> Response:
        return await unknown(request, calls, problem)

    api = routes(CALLS, HANDLERS, chat, calls, prefix="", sign_in=chat.sign_in, problem=problem)
    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    app = Starlette(routes=[*api, Route("/{path:path}", missing, methods=every)], lifespan=lifespan)
    app.state.chat, app.state.calls = chat, calls
    return app

"""The forge as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from standins.calls import Calls
from standins.forge import api_guards, api_issues, api_people, api_pulls, api_repos, api_reviews
from standins.forge.background import Background
from standins.forge.booking import PAUSE_S, book_moves
from standins.forge.forge import Forge
from standins.forge.handlers import HANDLERS
from standins.forge.hooks import Sender
from standins.forge.smart import git_routes
from standins.forge.testing import test_open_pulls
from standins.web import Refused, listed_calls, routes, unknown

CALLS = listed_calls(Path(__file__).with_name("calls.json"))
PARTS = (api_people, api_repos, api_guards, api_pulls, api_reviews, api_issues)
_THREADS = 64


def problem(refused: Refused) -> dict[str, Any]:
    """An error as Gitea says it."""
    return {"message": refused.message, "url": "/api/swagger", "errors": None}


def make_app(config: dict[str, Any], url: str, admin: tuple[str, str]) -> Starlette:
    """The application; its state lives in `data_dir` and survives it."""
    forge = Forge(config["data_dir"], url)
    forge.ensure_admin(*admin)
    calls = Calls(config["data_dir"])
    after = (
        Background("booking", partial(book_moves, forge), PAUSE_S),
        Background("testing", partial(test_open_pulls, forge)),
        Background("webhooks", Sender(forge, float(config.get("webhook_timeout_s", 5))).send_due),
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # Threads wait for git and for a repository's lock: more of them than the usual forty.
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        forge.store.after_change = lambda: [each.ring() for each in after]
        for each in after:
            each.start()
        yield
        for each in after:
            each.stop()
        forge.store.close()

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "pass", "description": "forge stand-in"})

    async def missing(request: Request) -> Response:
        return await unknown(request, calls, problem)

    listed = [each for each in CALLS if "git" not in each]
    api = routes(listed, HANDLERS, forge, calls, prefix="/api/v1", sign_in=forge.sign_in, problem=problem)
    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    app = Starlette(
        routes=[
            Route("/api/healthz", health),
            *api,
            *git_routes(forge, calls),
            Route("/{path:path}", missing, methods=every),
        ],
        lifespan=lifespan,
    )
    app.state.forge, app.state.calls = forge, calls
    return app

"""The HTTP API: one ninja instance; each room brings its router. Errors are RFC 9457 problems."""

from __future__ import annotations

from ninja import NinjaAPI

from agensh_web.problems import install_problems
from runs.api import router as runs_router
from trajectories.api import router as trajectories_router

api = NinjaAPI(
    title="Agensh Web", version="1", urls_namespace="api-v1", docs_url=None
)  # ninja's page asks other hosts for scripts; ours is /api
install_problems(api)
api.add_router("", runs_router)
api.add_router("", trajectories_router)

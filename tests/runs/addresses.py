"""Every address of the app, who may do what with it. A new address without a row fails the test of access by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PUBLIC = "public"  # anybody, without signing in


@dataclass(frozen=True)
class Row:
    """The lowest role for reading and for posting; None = that method is not there. `kind` says how a stranger is refused."""

    get: str | None = None
    post: str | None = None
    kind: str = "page"  # page: led to sign-in; api: 401; worker: a worker's token only, so no person gets in
    delete: str | None = None
    put: str | None = None


ANY = Row(get=PUBLIC, post=PUBLIC, put=PUBLIC, delete=PUBLIC)  # says nothing that is not public, does nothing

ROWS: dict[str, Row] = {
    "health/live": ANY,
    "health/ready": ANY,
    # people
    "sign-in": Row(get=PUBLIC, post=PUBLIC),
    "sign-in/link/<str:token>": Row(get=PUBLIC, post=PUBLIC),
    "sign-out": Row(post=PUBLIC),
    "password": Row(get="viewer", post="viewer"),
    "people": Row(get="admin"),
    "people/add": Row(post="admin"),
    "people/<int:pk>/link": Row(post="admin"),
    "people/<int:pk>/role": Row(post="admin"),
    "people/<int:pk>/disable": Row(post="admin"),
    "people/<int:pk>/enable": Row(post="admin"),
    "people/<int:pk>/sign-out": Row(post="admin"),
    "models": Row(get="admin"),
    "models/endpoints": Row(post="admin"),
    "models/endpoints/<int:pk>/forget-key": Row(post="admin"),
    "models/endpoints/<int:pk>/remove": Row(post="admin"),
    "models/prices": Row(post="admin"),
    "models/prices/<int:pk>/remove": Row(post="admin"),
    "models/<int:pk>/retire": Row(post="admin"),
    "tokens": Row(get="viewer"),
    "tokens/add": Row(post="viewer"),
    "tokens/<int:pk>/revoke": Row(post="viewer"),
    # launching and acting
    "runs/new": Row(get="operator", post="operator"),
    "runs/new/check": Row(post="operator"),
    "runs/<slug:slug>/launch": Row(get="viewer"),
    "runs/<slug:slug>/phases": Row(get="viewer"),
    "runs/<slug:slug>/actions/cancel": Row(post="operator"),
    "runs/<slug:slug>/actions/end": Row(post="operator"),
    "runs/<slug:slug>/actions/nudge": Row(post="operator"),
    "runs/<slug:slug>/actions/stop-worker": Row(post="operator"),
    # reading
    "": Row(get="viewer"),
    "compare": Row(get="viewer"),
    "decided": Row(get="viewer"),
    "search": Row(get="viewer"),
    "import": Row(get="operator", post="operator"),
    "import/simulated": Row(post="operator"),
    "import/<int:pk>": Row(get="operator"),
    "import/<int:pk>/stop": Row(post="operator"),
    "runs/<slug:slug>/": Row(get="viewer"),
    "runs/<slug:slug>/replay": Row(get="viewer"),
    "runs/<slug:slug>/export": Row(get="viewer"),
    "runs/<slug:slug>/submission.tar.gz": Row(get="viewer"),
    "runs/<slug:slug>/story/<str:table>/<str:key>": Row(get="viewer"),
    "api": Row(get="viewer"),
    # the API of runs
    "api/v1/": ANY,
    "api/v1/openapi.json": ANY,
    "api/v1/preflight": Row(post="operator", kind="api"),
    "api/v1/runs": Row(get="viewer", post="operator", kind="api"),
    "api/v1/runs/<run>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/cancel": Row(post="operator", kind="api"),
    "api/v1/runs/<run>/end": Row(post="operator", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/nudge": Row(post="operator", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/stop": Row(post="operator", kind="api"),
    # the API of trajectories
    "api/v1/runs/<run>/state": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/changes": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/events": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/timeline": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/evidence/<source>/<id>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/bundle": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/export": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/submission": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/blobs/<sha256>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/feeds": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/speakers": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/notes/<note>/seen": Row(get="viewer", kind="api"),
    # ingest doors
    "ingest/<str:run>/acp": Row(post="worker", kind="worker"),
    "ingest/<str:run>/blobs/<str:sha256>": Row(put="worker", kind="worker"),
    "ingest/<str:run>/gitea": Row(post="worker", kind="worker"),
    # joined pages
    "runs/<slug:slug>/claims/<str:key>": Row(get="viewer"),
    "runs/<slug:slug>/evidence/<str:source>/<str:id>": Row(get="viewer"),
    "runs/<slug:slug>/proof/<str:table>/<path:key>": Row(get="viewer"),
    "runs/<slug:slug>/team": Row(get="viewer"),
    "runs/<slug:slug>/team/<str:author>/<str:reviewer>": Row(get="viewer"),
    "runs/<slug:slug>/claims": Row(get="viewer"),
    "runs/<slug:slug>/pulls": Row(get="viewer"),
    "runs/<slug:slug>/behaviours": Row(get="viewer"),
    "runs/<slug:slug>/summary": Row(get="viewer"),
    "api/v1/runs/<run>/team": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/team/<author>/<reviewer>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/claims": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/pulls": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/behaviours": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/summary": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/claims/<key>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/pulls/<number>": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<number>": Row(get="viewer", kind="api"),
    "runs/<slug:slug>/pulls/<int:number>": Row(get="viewer"),
    "runs/<slug:slug>/workers/<int:number>": Row(get="viewer"),
    "runs/<slug:slug>/workers/<int:number>/transcript": Row(get="viewer"),
    "runs/<slug:slug>/workers/<int:number>/knows": Row(get="viewer"),
    "api/v1/search": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/delivered": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/knowledge": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/transcript": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/transcript/entries": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/transcript/entry": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/transcript/find": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/workers/<int:worker>/transcript/place": Row(get="viewer", kind="api"),
    "api/v1/runs/<run>/blobs/<sha256>/piece": Row(get="viewer", kind="api"),
}


def walk(resolver: Any, prefix: str = "") -> dict[str, Any]:
    """Every route of the app and its pattern."""
    found: dict[str, Any] = {}
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            found |= walk(pattern, route)
        else:
            found[route] = pattern
    return found

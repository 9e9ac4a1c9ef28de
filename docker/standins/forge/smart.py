"""Git over HTTP: the two services of the smart protocol, spoken by git itself. A push is booked before it is answered."""

from __future__ import annotations

import gzip
import logging
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import anyio.to_thread
from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from standins.calls import Calls
from standins.forge.forge import READ, WRITE, Forge, Row
from standins.forge.git import ZERO, Bare, environment
from standins.forge.refs import Moved, moved
from standins.web import Refused

LOG = logging.getLogger("standins.forge.smart")
_BIGGEST_PUSH = 512 * 1024 * 1024
_NO_CACHE = {"Cache-Control": "no-cache, max-age=0, must-revalidate", "Pragma": "no-cache"}
_UPDATE_HOOK = """#!/bin/sh
for refused in $FORGE_REFUSED; do
  [ "$1" = "$refused" ] && echo "Gitea: Not allowed to push to protected branch ${1#refs/heads/}" >&2 && exit 1
done
exit 0
"""


def git_routes(forge: Forge, calls: Calls) -> list[Route]:
    """Routes of `/{owner}/{repo}.git`."""
    hooks = forge.data_dir / "hooks"
    hooks.mkdir(exist_ok=True)
    update = hooks / "update"
    update.write_text(_UPDATE_HOOK, "utf-8")
    update.chmod(0o755)

    async def info(request: Request) -> Response:
        service = request.query_params.get("service", "")
        return await _answer(calls, request, "/{owner}/{repo}/info/refs", _info, forge, request, service)

    async def serve(request: Request) -> Response:
        service = request.url.path.rpartition("/")[2]
        try:
            body = await _spool(forge, request)
        except (Refused, OSError, EOFError) as broken:
            calls.note(request.method, "/{owner}/{repo}/" + service, request.url.path, 400)
            return Response(str(broken), 400, media_type="text/plain")
        work = _receive if service == "git-receive-pack" else _upload
        return await _answer(calls, request, "/{owner}/{repo}/" + service, work, forge, request, body)

    return [
        Route("/{owner}/{repo}/info/refs", info, methods=["GET"]),
        Route("/{owner}/{repo}/git-upload-pack", serve, methods=["POST"]),
        Route("/{owner}/{repo}/git-receive-pack", serve, methods=["POST"]),
    ]


async def _answer(calls: Calls, request: Request, route: str, work: Any, *args: Any) -> Response:
    try:
        response: Response = await anyio.to_thread.run_sync(work, *args)
    except Refused as refused:
        headers = {"WWW-Authenticate": 'Basic realm="Gitea"'} if refused.status == 401 else {}
        response = Response(refused.message, refused.status, headers, "text/plain")
    except Exception:
        LOG.exception("%s failed", request.url.path)
        response = Response("internal error", 500, media_type="text/plain")
    calls.note(request.method, route, request.url.path, response.status_code)
    return response


def _open(forge: Forge, request: Request, needs: int) -> tuple[Row | None, Row]:
    user = forge.sign_in(request.headers)
    owner, name = request.path_params["owner"], request.path_params["repo"]
    try:
        return user, forge.repository(owner, name, user, needs)
    except Refused as refused:
        # Git asks for credentials only after a 401.
        if user is None and refused.status == 404:
            raise Refused(401, "authentication required") from None
        raise


def _info(forge: Forge, request: Request, service: str) -> Response:
    if service not in ("git-upload-pack", "git-receive-pack"):
        raise Refused(403, "only the smart protocol is spoken here")
    _, repo = _open(forge, request, WRITE if service == "git-receive-pack" else READ)
    done = _git(forge.bare(repo), request, service.removeprefix("git-"), None, advertise=True)
    first = f"# service={service}\n"
    head = f"{len(first) + 4:04x}{first}0000".encode()
    return Response(head + done, 200, _NO_CACHE, f"application/x-{service}-advertisement")


def _upload(forge: Forge, request: Request, body: IO[bytes]) -> Response:
    _, repo = _open(forge, request, READ)
    bare = forge.bare(repo)
    _rewind(body)
    process = subprocess.Popen(
        ["git", "upload-pack", "--stateless-rpc", str(bare.path)],
        stdin=body,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(_protocol(request)),
    )

    def chunks() -> Iterator[bytes]:
        assert process.stdout is not None
        try:
            while chunk := process.stdout.read(65_536):
                yield chunk
        finally:
            process.stdout.close()
            process.kill()
            process.wait()
            body.close()

    return StreamingResponse(iterate_in_threadpool(chunks()), 200, _NO_CACHE, "application/x-git-upload-pack-result")


def _receive(forge: Forge, request: Request, body: IO[bytes]) -> Response:
    with body:
        user, repo = _open(forge, request, WRITE)
        assert user is not None
        bare = forge.bare(repo)
        moves = commands_of(body)
        refused = " ".join(
            move.ref
            for move in moves
            if move.branch and (rule := forge.protection(repo, move.branch)) is not None and not may_push(rule, user)
        )
        with bare.lock:
            done = _git(bare, request, "receive-pack", body, refused=refused, hooks=forge.data_dir / "hooks")
            # What git did counts, not what the client asked for.
            now = _refs(bare, [move.ref for move in moves])
            real = [move for move in moves if now.get(move.ref, ZERO) == move.after and move.before != move.after]
            if real:
                moved(forge, repo, user, real)
    return Response(done, 200, _NO_CACHE, "application/x-git-receive-pack-result")


def may_push(rule: dict[str, Any], user: Row) -> bool:
    """Whether a protected branch takes a push of this user."""
    if not rule.get("enable_push"):
        return False
    return not rule.get("enable_push_whitelist") or user["login"] in (rule.get("push_whitelist_usernames") or [])


def commands_of(body: IO[bytes]) -> list[Moved]:
    """The ref updates a push asks for: packet lines up to the first flush."""
    moves: list[Moved] = []
    while True:
        head = body.read(4)
        if len(head) < 4 or head == b"0000":
            return moves
        size = int(head, 16) - 4
        line = body.read(size).split(b"\0", 1)[0].rstrip(b"\n").decode("utf-8", "replace")
        parts = line.split(" ", 2)
        if len(parts) == 3 and len(parts[0]) == 40:
            moves.append(Moved(parts[2], parts[0], parts[1]))


def _refs(bare: Bare, names: list[str]) -> dict[str, str]:
    if not names:
        return {}
    out = bare.git("for-each-ref", "--format=%(refname) %(objectname)", *names)
    return dict(line.split(" ", 1) for line in out.splitlines())


def _protocol(request: Request) -> dict[str, str]:
    version = request.headers.get("git-protocol", "")
    return {"GIT_PROTOCOL": version} if version else {}


def _git(
    bare: Bare,
    request: Request,
    service: str,
    body: IO[bytes] | None,
    *,
    advertise: bool = False,
    refused: str = "",
    hooks: Path | None = None,
) -> bytes:
    env = environment(_protocol(request))
    if refused:
        env |= {"FORGE_REFUSED": refused, "GIT_CONFIG_COUNT": "2"}
        env |= {"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": str(hooks)}
    flags = ["--advertise-refs"] if advertise else []
    if body is not None:
        _rewind(body)
    done = subprocess.run(
        ["git", service, "--stateless-rpc", *flags, str(bare.path)],
        stdin=body if body is not None else subprocess.DEVNULL,
        capture_output=True,
        env=env,
        check=False,
    )
    if done.returncode != 0 and not done.stdout:
        raise Refused(500, done.stderr.decode("utf-8", "replace"))
    return done.stdout


async def _spool(forge: Forge, request: Request) -> IO[bytes]:
    body = tempfile.TemporaryFile(dir=forge.data_dir / "tmp")  # noqa: SIM115 - closed by whoever serves it
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > _BIGGEST_PUSH:
            body.close()
            raise Refused(413, "too large")
        body.write(chunk)
    body.seek(0)
    if request.headers.get("content-encoding") == "gzip":
        plain = tempfile.TemporaryFile(dir=forge.data_dir / "tmp")  # noqa: SIM115
        with body, gzip.open(body) as packed:
            while chunk := packed.read(1 << 20):
                plain.write(chunk)
        plain.seek(0)
        body = plain
    return body


def _rewind(body: IO[bytes]) -> None:
    # The child reads from the descriptor's own position, which Python's buffer has run ahead of.
    body.flush()
    os.lseek(body.fileno(), 0, os.SEEK_SET)

"""Bootstrap of 8, 64, 300 and 1,024 workers on a real Gitea and a real Mattermost: seconds, calls, processor time, memory, and what doing it again costs."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings

from runs.bootstrap.accounts import ensure_accounts
from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, check_limits, ensure_channel
from runs.bootstrap.client import Client
from runs.bootstrap.forge import Forge, ensure_hook, ensure_repository
from runs.bootstrap.secrets import Secrets
from runs.services import choosing
from runs.services.gitea import ADMIN_TOKEN
from trajectories.bench.stood import Stood

COUNTS = (8, 64, 300, 1_024)
NEEDS = (
    "AGENSH_GITEA and AGENSH_MATTERMOST name the programs of the real services, and Debian's postgresql is installed"
)


def bootstrap() -> dict[str, Any]:
    """For each count (`AGENSH_BENCH_COUNTS`: others) new accounts and bots on the same services; `again` is the same once more, when nothing
    is left to do."""
    counts = [int(word) for word in os.environ.get("AGENSH_BENCH_COUNTS", "").split(",") if word] or COUNTS
    return with_services(
        max(counts), lambda stood: {"measured": True, **{str(count): _of(stood, count) for count in counts}}
    )


def with_services(workers: int, measure: Callable[[Stood], dict[str, Any]]) -> dict[str, Any]:
    """What `measure` says of both real services; where they are not at hand, what is needed."""
    unfit = [f"{name}: {case}" for name, fit, case, _ in choosing.rows() if not fit]
    if choosing.chosen("local", Path()) != list(choosing.REAL) or unfit:
        return {"measured": False, "why": "; ".join([f"needed: {NEEDS}", *unfit])}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.DATA_DIR) as place:
        Path(place).chmod(0o755)
        began = time.monotonic()
        stood = Stood(Path(place), list(choosing.REAL), workers)
        try:
            return {"up_s": round(time.monotonic() - began, 1), **measure(stood)}
        finally:
            stood.close()


def forge_of(stood: Stood, owner: str) -> Forge:
    """The stood Gitea and a repository of its own on it."""
    first = stood.folder / "services" / "forge" / ADMIN_TOKEN
    return Forge(stood.standing.url("forge"), "agensh", owner, "calc", first)


def seed_in(folder: Path) -> Path:
    """What the repository begins with."""
    folder.mkdir()
    (folder / "README.md").write_text("calc\n")
    return folder


def _of(stood: Stood, count: int) -> dict[str, Any]:
    names = [f"x{count}w{n:04d}" for n in range(count)]
    secrets = Secrets(stood.folder / f"secrets-{count}")
    secrets.keep("chat_admin", stood.standing.secrets.ensure("chat_admin"))
    forge, chat = forge_of(stood, f"team-{count}"), Chat(stood.standing.url("chat"), "agensh", f"team{count}")
    seed = seed_in(stood.folder / f"seed-{count}")

    def gitea() -> None:
        ensure_repository(forge, secrets, seed)
        ensure_hook(forge, secrets, "http://127.0.0.1:9/hook")
        ensure_accounts(forge, secrets, names)

    def mattermost() -> None:
        ensure_bots(chat, secrets, names, ensure_channel(chat, secrets))

    return {
        "gitea": {**_step(stood, "forge", gitea), "again": _step(stood, "forge", gitea)},
        "mattermost": {**_step(stood, "chat", mattermost), "again": _step(stood, "chat", mattermost)},
        "limits": check_limits(chat, secrets),
    }


def _step(stood: Stood, name: str, work: Callable[[], None]) -> dict[str, float]:
    before = {each: stood.cpu_s(each) for each in (name, "teamdb")}
    began, own = time.monotonic(), time.process_time()
    with _counted() as calls:
        work()
    return {
        "s": round(time.monotonic() - began, 1),
        "calls": len(calls),
        "cpu_s": round(stood.cpu_s(name) - before[name], 1),
        "database_cpu_s": round(stood.cpu_s("teamdb") - before["teamdb"], 1),
        "own_cpu_s": round(time.process_time() - own, 1),
        "memory_mb": round(stood.memory_mb(name)),
        "database_mb": round(stood.memory_mb("teamdb")),
    }


@contextmanager
def _counted() -> Iterator[list[str]]:
    """Every call of bootstrap while the block runs."""
    made: list[str] = []
    ask = Client.ask

    def counted(self: Client, method: str, path: str, *more: Any, **named: Any) -> Any:
        made.append(f"{method} {path}")
        return ask(self, method, path, *more, **named)

    Client.ask = counted  # type: ignore[method-assign]
    try:
        yield made
    finally:
        Client.ask = ask  # type: ignore[method-assign]

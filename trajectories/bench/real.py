"""A crowd on a real Gitea and a real Mattermost: 64 workers poll, push, review, merge and post for minutes while the app listens.

How late each source is heard, what the services answer a second, what the sweeps cost, and what each kind of call sustains alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.utils import timezone

from runs.bootstrap.accounts import ensure_accounts
from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, check_limits, ensure_channel
from runs.bootstrap.forge import ensure_hook, ensure_repository
from runs.models import Run, Worker
from trajectories.bench.bootstrapping import forge_of, seed_in, with_services
from trajectories.bench.chromium import quantiles
from trajectories.bench.programs import cpu_s, environment, memory_mb
from trajectories.bench.stood import Stood
from trajectories.ledger import COUNTED, ledger
from trajectories.listening import WAKE_S, Listener
from trajectories.models import Delivery, now_ms
from trajectories.sources.gitea import client

WORKERS, SECONDS, ACT_S, SUSTAINED_S = 64, 600, 20, 5
QUIET_S = 15.0  # a sweep sees what it sees within ten seconds
SERVICES = ("forge", "chat", "teamdb")
CROWD = Path(__file__).with_name("crowd.py")


def real() -> dict[str, Any]:
    """`AGENSH_BENCH_SECONDS` and `AGENSH_BENCH_WORKERS` make it shorter or smaller. Without the services it says what it needs."""
    workers = int(os.environ.get("AGENSH_BENCH_WORKERS") or WORKERS)
    seconds = float(os.environ.get("AGENSH_BENCH_SECONDS") or SECONDS)
    return with_services(workers, lambda stood: {"measured": True, **_measure(stood, workers, seconds)})


def _measure(stood: Stood, workers: int, seconds: float) -> dict[str, Any]:
    names = [f"w{n:04d}" for n in range(1, workers + 1)]
    secrets = stood.standing.secrets
    forge, chat = forge_of(stood, "team"), Chat(stood.standing.url("chat"), "agensh")
    ensure_repository(forge, secrets, seed_in(stood.folder / "seed"))
    ensure_hook(forge, secrets, "http://127.0.0.1:9/hook")  # nobody is there: the outbox is what is read
    users = ensure_accounts(forge, secrets, names)
    bots = ensure_bots(chat, secrets, names, ensure_channel(chat, secrets))
    outboxes = {name: stood.standing.outbox(name) for name in ("forge", "chat")}
    admin = {"token_file": str(secrets.path("forge_token"))}
    places = {
        "forge": {"url": forge.url, "owner": forge.owner, "repo": forge.repository},
        "chat": {"url": chat.url, "team": chat.team, "channel": chat.channel},
    }
    endpoints = {
        "forge": {**places["forge"], "outbox": outboxes["forge"], "admin_token": admin},
        "chat": {**places["chat"], "outbox": outboxes["chat"]},
    }
    clones = stood.folder / "clones"
    clones.mkdir()
    told = {"names": names, "tokens": str(secrets.folder), "clones": str(clones), "remote": forge.clone_url, **places}
    told |= {"seconds": seconds, "act_s": ACT_S, "sustained_s": SUSTAINED_S}
    (stood.folder / "crowd.json").write_text(json.dumps(told))
    with _run(endpoints, names, users, bots) as run:
        figures = _listened(stood, run)
        counted = ledger(run, stood.folder)
        kept = {name: {word: counted[name][word] for word in COUNTED} for name in ("gitea", "mattermost")}
        return {"workers": workers, "limits": check_limits(chat, secrets), **figures, "ledger": kept}


@contextmanager
def _run(endpoints: dict[str, Any], names: list[str], users: dict[str, Any], bots: dict[str, Any]) -> Iterator[Run]:
    """A run that listens to the services, gone afterwards."""
    run = Run.objects.create(
        slug=f"bench-{uuid.uuid4().hex[:12]}",
        name="Measuring",
        status="running",
        endpoints=endpoints,
        started_at=timezone.now(),
    )
    try:
        for n, name in enumerate(names, 1):
            ids = {
                "gitea_login": name,
                "gitea_id": users[name]["id"],
                "mattermost_username": name,
                "mattermost_id": bots[name]["id"],
            }
            Worker.objects.create(run=run, n=n, name=name, harness="mini", model="scripted", **ids).enrol()
        run.record("run.started", duration_s=3_600)
        yield run
    finally:
        run.delete()


def _listened(stood: Stood, run: Run) -> dict[str, Any]:
    """Listen as the app does while the crowd works and measures, then until nothing is left to hear."""
    listener, turns, said, worked = Listener(run.pk), [], b"", {}
    with _swept() as sweeps, (stood.folder / "crowd.err").open("w") as errors:
        began = _Spent(stood, None)
        crowd = subprocess.Popen(
            [sys.executable, "-P", str(CROWD), str(stood.folder / "crowd.json")],
            env=environment(), stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
        assert crowd.stdout is not None
        os.set_blocking(crowd.stdout.fileno(), False)
        quiet_at = 0.0
        while not quiet_at or time.monotonic() < quiet_at:
            turn = time.monotonic()
            listener.turn()
            said += crowd.stdout.read() or b""
            if not worked:
                turns.append((time.monotonic() - turn) * 1000)
                if b"\n" in said:
                    worked = {**_Spent(stood, crowd.pid).since(began), "until": now_ms(), "calls": len(sweeps)}
            if crowd.poll() is not None and not quiet_at:
                quiet_at = time.monotonic() + QUIET_S
            time.sleep(max(0.0, WAKE_S - (time.monotonic() - turn)))
    if crowd.returncode:
        raise RuntimeError(f"the crowd ended: {(stood.folder / 'crowd.err').read_text()[-600:]}")
    made = sweeps[: worked.pop("calls")]
    return {
        **json.loads(said.splitlines()[-1]),
        "lag_ms": _lag(run, began.at, worked.pop("until")),
        "turn_ms": quantiles(turns),
        "sweeps": _cost(stood, run, made, worked["seconds"]),
        **worked,
    }


class _Spent:
    """Processor seconds and memory of everything that takes part, at one moment."""

    def __init__(self, stood: Stood, crowd: int | None) -> None:
        self.at, self.cpu = now_ms(), {name: stood.cpu_s(name) for name in SERVICES}
        self.cpu |= {"crowd": cpu_s(crowd, ended=True) if crowd else 0.0, "app": time.process_time()}
        self.memory = {name: stood.memory_mb(name) for name in SERVICES} | {"app": memory_mb(os.getpid())}

    def since(self, began: _Spent) -> dict[str, Any]:
        seconds = (self.at - began.at) / 1000
        shares = {name: round((spent - began.cpu[name]) / seconds, 3) for name, spent in self.cpu.items()}
        memory = {name: round(mb) for name, mb in self.memory.items()}
        return {
            "seconds": round(seconds),
            "processors": shares,
            "memory_mb": memory,
            "load": round(os.getloadavg()[0], 1),
        }


@contextmanager
def _swept() -> Iterator[list[tuple[str, dict[str, Any], float]]]:
    """Every call of the sweeps while the block runs, with its seconds."""
    made: list[tuple[str, dict[str, Any], float]] = []
    get = client.Forge.get

    def timed(self: client.Forge, path: str, **query: Any) -> Any:
        began = time.monotonic()
        answer = get(self, path, **query)
        made.append((path, query, time.monotonic() - began))
        return answer

    client.Forge.get = timed  # type: ignore[method-assign]
    try:
        yield made
    finally:
        client.Forge.get = get  # type: ignore[method-assign]


def _cost(stood: Stood, run: Run, made: list[tuple[str, dict[str, Any], float]], seconds: float) -> dict[str, Any]:
    """What the sweeps ask, and what that takes of the forge and its database: the last calls once more, alone."""
    again = made[-200:]
    budget = client.Budget({"calls": len(again) * 1000}, now_ms(), wait=True)
    budget.left = float(len(again))
    rest, before = client.Forge(run.endpoints["forge"], budget), _Spent(stood, None).cpu
    for path, query, _ in again:
        rest.get(path, **query)
    cpu = {name: stood.cpu_s(name) - before[name] for name in ("forge", "teamdb")}
    each_ms = sum(cpu.values()) * 1000 / max(1, len(again))
    per_s = len(made) / seconds
    return {
        "calls_per_s": round(per_s, 2),
        "call_ms": quantiles([took * 1000 for _, _, took in made]),
        "cpu_ms_a_call": round(each_ms, 1),
        "processors": round(per_s * each_ms / 1000, 3),
    }


def _lag(run: Run, began: int, ended: int) -> dict[str, Any]:
    """Milliseconds from the clock of the service to the app, of what was said while the team worked; sweeps carry the time they saw it."""
    told = Delivery.objects.filter(run=run, at__gte=began, at__lt=ended).exclude(source="run")
    late: dict[str, list[float]] = {}
    for source, name, at, received in told.values_list("source", "delivery", "at", "received_at"):
        if not name.startswith(("pull-", "refs-")):
            late.setdefault(source, []).append(received - at)
    return {
        source: {**quantiles(found), "most": max(found), "deliveries": len(found)} for source, found in late.items()
    }

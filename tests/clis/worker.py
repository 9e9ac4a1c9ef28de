"""One worker on a harness, started as a launch on `local` starts it, until its first turn is over; and what it then left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runs import clis
from runs.backends.enclosed import enclosed
from runs.harnesses import harness
from runs.plan import worker_file, worker_spec
from runs.spec import RunSpec
from tests.clis.namespace import Outside
from tests.clis.stack import ROOT, Stack
from tests.docker.worker.conftest import ENV
from trajectories.events import Event
from trajectories.sources.acp import parse
from trajectories.sources.base import RawDelivery

SPEC = RunSpec(
    name="Conformance", task="rill", workers=1, model="scripted", duration_s=180, reminders_s=(), effort="high"
)
TURN_S = 150


@dataclass
class Told:
    """What one worker said and did."""

    harness: str
    items: list[dict[str, Any]]
    events: list[Event]
    stack: Stack
    place: Path
    exit_code: int
    survivors: list[str]
    outside: Outside | None = None

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The fields of its events of one kind."""
        return [dict(event.fields) for event in self.events if event.kind == kind]

    def attempts(self) -> list[str]:
        """What it tried to reach outside the sandbox."""
        path = self.place / "network.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [f"{row['how']} {row['to']}:{row['port']}" for row in map(json.loads, lines)]


def work(name: str, stack: Stack, *, killed_after: int = 0, **asked: str) -> Told:
    """Run worker 1 on that harness until a turn of it has ended well, then stop it as the monitor does.

    `killed_after`: the harness's process is killed once, after so many steps. `asked`: fields of the spec, such as `permissions` or `model`.
    """
    folder = stack.folder / "run"
    place = folder / "workers" / "w0001"
    place.mkdir(parents=True)
    path = _file(replace(SPEC, harnesses=((name, 1),), **asked), stack, folder, place)
    with (place / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "worker", "--config", str(path)], env=ENV, stdout=log, stderr=log
        )
    end = time.monotonic() + TURN_S
    while not _finished(place, well=killed_after != 0) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)
        if killed_after and _steps(place) >= killed_after and not _finished(place):
            _kill_harness(process.pid)
    process.send_signal(signal.SIGTERM)
    code = process.wait(30)
    (stack.folder / "asked.json").write_text(json.dumps(stack.recorder.asked))  # to look at when a sentence fails
    items = _items(place)
    body = {"worker": 1, "life": 1, "items": items}
    opened = next((item["msg"]["harness"] for item in items if _kind(item) == "session.opened"), name)
    found = parse(RawDelivery("1-1-1", 1, 0, 0, body, {"X-Agensh-Harness": opened}))
    return Told(name, items, found if isinstance(found, list) else [], stack, place, code, _survivors(place))


def _file(spec: RunSpec, stack: Stack, folder: Path, place: Path) -> Path:
    name = spec.harness_of(1)
    model = f"{stack.urls['gateway']}/v1"
    token = str(stack.folder / "w0001.board")
    worker = worker_spec(spec, 1, "w0001", model, cli=str(clis.folder()), platform=clis.node_platform())
    endpoints = {
        "forge": {"url": stack.urls["forge"], "owner": "team", "repo": "rill"},
        "chat": {"url": stack.urls["chat"], "team": "agensh", "channel": "team"},
        "board": {"url": stack.urls["board"]},
        "model": {"url": model},
    }
    tokens = {service: str(stack.folder / f"w0001.{service}") for service in ("forge", "chat", "board")}
    tokens["model"] = token
    command = enclosed(harness(name).command(worker), worker, place, folder / "task", endpoints)
    document = worker_file(
        worker,
        command,
        run="conformance",
        life=1,
        folder=folder,
        task={"name": "rill", "title": "Rill"},
        endpoints=endpoints,
        token_files=tokens,
        start_at="",
        deadline_at=_iso(time.time() + 170),
        spec=spec,
        prompt=ROOT / "docker" / "worker" / "prompt.md",
        env={"PATH": os.environ["PATH"], "HOME": str(place / "home")},
    )
    (place / "worker.json").write_text(json.dumps(document))
    return place / "worker.json"


def _iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _kind(item: dict[str, Any]) -> str:
    return str(item["msg"].get("kind")) if item["dir"] == "loop" else ""


def _items(place: Path) -> list[dict[str, Any]]:
    path = place / "spool" / "1.jsonl"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _finished(place: Path, *, well: bool = False) -> bool:
    ended = [item["msg"] for item in _items(place) if _kind(item) == "turn.finished"]
    return any(not well or end["error"] is None for end in ended)


def _steps(place: Path) -> int:
    """Tool calls that have ended so far."""
    updates = [item["msg"].get("params", {}).get("update", {}) for item in _items(place) if item["dir"] == "from_agent"]
    return sum(update.get("status") == "completed" for update in updates)


def _kill_harness(worker: int) -> None:
    """SIGKILL what the worker itself started: the harness, or the sandbox around it, which takes all inside with it."""
    for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split():
        os.kill(int(pid), signal.SIGKILL)


def _survivors(place: Path) -> list[str]:
    """Command lines of processes that still work in the worker's folder or hold it in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                text = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
            except OSError:
                continue
            if str(place).encode() in text:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200])
    return found

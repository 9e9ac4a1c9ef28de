"""A small real team around one worker on a real agent CLI: board, forge, chat, scripted model and gateway, and a peer that has already opened a pull.

The task is the demo's with two sub-tasks left: the peer has built `join` and waits for a review, `cut` is free. What the worker has to do follows
from the prompt alone: look, review, claim, build, push, open a pull, end its turn.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.clis.recorder import Recorder
from tests.docker.worker.conftest import ENV, ready
from tests.docker.worker.members import ADMIN, Member, found_repository, found_team

ROOT = Path(__file__).resolve().parents[2]
RILL = ROOT / "docker" / "tasks" / "rill"
FREE, BUILT = "cut", "join"
TOKENS = {"workers": {"w0001": "one", "w0002": "two"}, "ingest": "eye"}
NUMBERED = {"workers": {"1": "one", "2": "two"}, "ingest": "eye"}


@dataclass
class Stack:
    """Addresses of the services, the folder they live in, and what the model was asked."""

    folder: Path
    urls: dict[str, str] = field(default_factory=dict)
    recorder: Recorder = field(default_factory=Recorder)

    @property
    def task(self) -> Path:
        """The public part of the task, as workers see it."""
        return self.folder / "run" / "task"

    def ledger(self) -> list[dict[str, Any]]:
        """The gateway's rows, in order."""
        answer = httpx.get(f"{self.urls['gateway']}/ledger?limit=1000", headers={"Authorization": "Bearer eye"})
        rows: list[dict[str, Any]] = answer.json()["rows"]
        return rows

    def board(self) -> list[dict[str, Any]]:
        """Every note."""
        answer = httpx.get(f"{self.urls['board']}/notes", headers={"Authorization": "Bearer two"})
        notes: list[dict[str, Any]] = answer.json()["notes"]
        return notes

    def forge(self, path: str) -> Any:
        """An answer of the forge's API, asked by its administrator."""
        return httpx.get(f"{self.urls['forge']}/api/v1/repos/team/rill{path}", auth=ADMIN).json()


@contextmanager
def running(folder: Path) -> Iterator[Stack]:
    """The services, the repository with the task's seed, and the peer's pull number 1."""
    stack, started = Stack(folder), []
    _two_subtasks(stack)
    (folder / "admin").write_text(ADMIN[1])
    (folder / "tokens.json").write_text(json.dumps(TOKENS))
    (folder / "numbered.json").write_text(json.dumps(NUMBERED))
    (folder / "w0001.board").write_text("one")
    (folder / "w0002.board").write_text("two")
    try:
        with stack.recorder.before(lambda: stack.urls["model"]) as recorded:
            for name, module, config in _services(stack, recorded):
                started.append(_start(folder / name, module, config))
                stack.urls[name] = ready(folder / name / "ready.json", started[-1])
            found_team(stack.urls, folder)
            found_repository(stack.urls["forge"], "rill")
            asyncio.run(_peer_opens_a_pull(stack))
            yield stack
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
        for process in started:
            process.wait(20)


def _services(stack: Stack, recorded: str) -> list[tuple[str, str, dict[str, Any]]]:
    admin = {"admin": {"username": ADMIN[0], "password_file": str(stack.folder / "admin")}}
    tokens = {"tokens_file": str(stack.folder / "tokens.json")}
    numbered = {"tokens_file": str(stack.folder / "numbered.json")}
    model = {"task_dir": str(stack.folder / "whole"), "seed": 1, "think_ms": 20}
    gateway = {**numbered, "model": "scripted", "endpoint": f"{recorded}/v1", "auth": "none"}
    return [
        ("forge", "standins.forge", admin),
        ("chat", "standins.chat", admin),
        ("board", "board", tokens),
        ("model", "standins.model", model),
        ("gateway", "gateway", gateway),
    ]


def _start(place: Path, module: str, config: dict[str, Any]) -> subprocess.Popen[bytes]:
    place.mkdir()
    common = {"host": "127.0.0.1", "port": 0, "data_dir": str(place), "ready_file": str(place / "ready.json")}
    (place / "config.json").write_text(json.dumps({**common, **config}))
    with (place / "log.txt").open("wb") as log:
        command = [sys.executable, "-m", module, "--config", str(place / "config.json")]
        return subprocess.Popen(command, env=ENV, stdout=log, stderr=log)


def _two_subtasks(stack: Stack) -> None:
    """The demo's task with all but two sub-tasks taken off its list."""
    whole = stack.folder / "whole"
    shutil.copytree(RILL, whole)
    listed = whole / "docs" / "subtasks.json"
    facts = json.loads(listed.read_text())
    facts["subtasks"] = [row for row in facts["subtasks"] if row["id"] in (FREE, BUILT)]
    listed.write_text(json.dumps(facts, indent=1))
    for name in ("docs", "reference"):
        shutil.copytree(whole / name, stack.task / name)
    shutil.copy2(whole / "task.yaml", stack.task / "task.yaml")


async def _peer_opens_a_pull(stack: Stack) -> None:
    """w0002 seeds the repository, claims `join`, builds it and asks w0001 for a review."""
    from standins.model.shell import Shell
    from standins.model.task import Task

    (stack.folder / "peers").mkdir()
    urls = {**stack.urls, "tokens": str(stack.folder)}
    async with httpx.AsyncClient(trust_env=False) as http:
        peer = Member(2, stack.folder / "peers", urls, "rill", http)
        url = peer.config.repository
        peer.shell(
            f"git clone -q {url} rill 2>/dev/null; cp -r {RILL}/seed/. rill/; cd rill; git checkout -q -B main; git add -A;"
            "git commit -q -m Seed; git push -q origin HEAD:main"
        )
        note = {"type": "CLAIM", "text": f"{BUILT}: join two files on a key", "delegation_id": BUILT}
        headers = {"Authorization": "Bearer two"}
        claim = (await http.post(f"{stack.urls['board']}/notes", json=note, headers=headers)).json()["note"]
        task = Task.read(stack.folder / "whole")
        shell, subtask, branch = Shell(task, url, str(stack.task)), task.subtasks[BUILT], f"w0002/n{claim}-{BUILT}"
        for command in (
            shell.start(branch, "origin/main", subtask),
            shell.write(subtask, "good", quick=True),
            shell.push(branch, list(subtask.good), f"{BUILT}: {subtask.title}"),
        ):
            assert "[exit 0]" in peer.shell(command)
        opened = await peer.forge.open(branch, f"{BUILT}: {subtask.title}", "Please look.", claim)
        await peer.forge.request_review(opened["number"], ["w0001"])
        peer.inbox.close()

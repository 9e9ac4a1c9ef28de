"""The worker's file: everything one worker needs to know, rendered by the launcher. Read once; only the app's address may move."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from worker.permissions import POLICIES


class BadConfig(ValueError):
    """The file cannot be used; the message names the key."""


@dataclass(frozen=True, slots=True)
class Config:
    """`worker.json` as the loop uses it. Times are seconds since the epoch."""

    path: Path
    run: str
    worker: int
    life: int
    name: str
    command: list[str]
    env: dict[str, str]
    cwd: Path
    home: Path
    spool_dir: Path
    harness: str
    prompt_file: Path
    task: str
    task_folder: Path
    endpoints: dict[str, dict[str, Any]]
    token_files: dict[str, str]
    start_at: float
    deadline_at: float
    reminders_s: list[int]
    idle_limit_s: float
    session_mode: str = ""
    permissions: str = "allow"
    model_silence_s: float = 1_200.0
    wake_gap_s: float = 1.0
    poll_s: Mapping[str, float] = field(default_factory=dict)

    def token(self, service: str) -> str:
        """A service's token, read from its file at each use; empty if there is none."""
        path = self.token_files.get(service)
        try:
            return Path(path).read_text().strip() if path else ""
        except OSError:
            return ""

    def ingest_url(self) -> str:
        """`{app}/ingest/{run}`. Read again from the file each time: an app that was restarted may have another port."""
        try:
            url = str(_endpoints(json.loads(self.path.read_text())).get("ingest", {}).get("url", ""))
        except (OSError, ValueError):
            url = ""
        url = (url or str(self.endpoints.get("ingest", {}).get("url", ""))).rstrip("/")
        if url.endswith("/acp"):
            return url.removesuffix("/acp")
        return f"{url}/ingest/{self.run}" if url else ""

    @property
    def alone(self) -> bool:
        """Whether this worker has no peers: a baseline has neither board nor chat."""
        return "board" not in self.endpoints and "chat" not in self.endpoints

    @property
    def repository(self) -> str:
        """The address git clones from: no credentials in it."""
        forge = self.endpoints.get("forge", {})
        if not forge.get("url"):
            return ""
        return forge.get("clone_url") or f"{forge['url'].rstrip('/')}/{forge['owner']}/{forge['repo']}.git"


def load(path: Path) -> Config:
    """Read a worker's file. Raises BadConfig."""
    try:
        raw = json.loads(path.read_text())
        task = raw.get("task") or {}
        task = task if isinstance(task, dict) else {"name": task}
        beside = path.resolve().parent
        cwd = Path(raw.get("cwd") or beside / "work")
        env = {str(name): str(value) for name, value in raw.get("env", {}).items()}
        return Config(
            path=path,
            run=str(raw["run"]),
            worker=int(raw["worker"]),
            life=int(raw["life"]),
            name=str(raw["name"]),
            command=[str(part) for part in raw["command"]],
            env=env,
            cwd=cwd,
            home=Path(raw.get("home") or env.get("HOME") or beside / "home"),
            spool_dir=Path(raw.get("spool_dir") or beside / "spool"),
            harness=str(raw.get("harness", "")),
            prompt_file=Path(raw.get("prompt_file") or Path(__file__).with_name("prompt.md")),
            task=str(task.get("title") or task.get("name") or ""),
            task_folder=Path(raw.get("task_folder") or task.get("folder") or cwd / "task"),
            endpoints=_endpoints(raw),
            token_files=raw.get("token_files", {}),
            start_at=_time(raw.get("start_at"), time.time()),
            deadline_at=_time(raw.get("deadline_at"), float("inf")),
            reminders_s=sorted((int(seconds) for seconds in raw.get("reminders_s", [])), reverse=True),
            idle_limit_s=float(raw.get("idle_limit_s", 600)),
            session_mode=str(raw.get("session_mode") or ""),
            permissions=_one_of(raw.get("permissions") or "allow", POLICIES),
            model_silence_s=float(raw.get("model_silence_s", 1_200)),
            wake_gap_s=float(raw.get("wake_gap_s", 1.0)),
            poll_s=raw.get("poll_s", {}),
        )
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}") from None
    except KeyError as error:
        raise BadConfig(f"{path}: {error.args[0]} is missing") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise BadConfig(f"{path}: {error}") from None


def _one_of(value: Any, known: Iterable[str]) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return str(value)


def _endpoints(raw: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Endpoints as objects, whether the file has them as addresses or as objects with their own keys beside."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in (raw.get("endpoints") or {}).items():
        if value:
            found[name] = {**(raw.get(name) or {}), **({"url": value} if isinstance(value, str) else value)}
    return found


def _time(value: Any, default: float) -> float:
    if value in (None, ""):
        return default
    if isinstance(value, (int, float)):
        return float(value)
    moment = datetime.fromisoformat(value)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

"""`compose`: a stack of containers per run, started by the launcher, the one process that may speak to Docker Engine.

The same verbs and files as `local`, so whoever launches, watches and ends a run need not know where it runs.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runs.backends import supervising
from runs.backends.compose import images
from runs.backends.compose.stack import APPS_NETWORK, PORT, Program, host_name, program_of, project_name
from runs.backends.files import append_line, read_json, read_lines, write_json, write_whole
from runs.plan import HEALTH

NAME = "compose"
DESCRIPTION = "A stack of containers per run on Docker Engine. Workers see the team's services and nothing else."
SUPERVISOR = "runs.backends.compose.supervise"
CLIS = "/opt/agensh/clis"  # in the image of docker/clis
APART = True  # workers are not on the app's network: the gateway passes their batches on
# A worker's whole world: the image's programs, its own folder, nothing of the app's environment.
ENVIRONMENT = {
    "PATH": "/opt/agensh/venv/bin:/opt/agensh/node/bin:/usr/local/bin:/usr/bin:/bin",
    "PYTHONPATH": "/opt/agensh/docker",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "LANG": "C.UTF-8",
}
READS = {"forge": ("forge_admin",), "chat": ("chat_admin",)}


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program of the team finds in its environment. No secret is among it."""
    return {**ENVIRONMENT, "HOME": str(home), **(extra or {})}


def look(data: Path) -> None:
    """Ask the engine what preflight will read. By the launcher, which alone may."""
    from runs.backends.compose import readiness

    readiness.report(data)


def ran(data: Path, programs: Iterable[str]) -> dict[str, Any]:
    """For the run's provenance: the engine, and the image of each of its programs by its id, as the launcher saw them before the start."""
    facts = read_json(data / "engine.json") or {}
    known = {name: facts.get("images", {}).get(images.of(name)) or {} for name in programs}
    used = {name: {"name": images.of(name), **told} for name, told in known.items()}
    return {"images": used, "engine": facts.get("version", ""), "compose": facts.get("compose", "")}


def listening(folder: Path, run: int, service: str) -> dict[str, Any]:
    """Where a service listens in its container, and the name it is known by."""
    public = f"http://{host_name(project_name(site(folder), run), service)}:{PORT}"
    return {"host": "0.0.0.0", "port": PORT, "public_url": public}  # noqa: S104  # its own network is all there is


def site(folder: Path) -> str:
    """Which installation this is: made once, kept in the data folder; it tells two of them on one engine apart."""
    path = folder.parent.parent / "site"
    if not path.exists():
        write_whole(path, secrets.token_hex(3))
    return path.read_text().strip()


def network() -> str:
    """Where the app meets the services of its teams: two installations on one engine have two."""
    return os.environ.get("AGENSH_NETWORK") or APPS_NETWORK


def write_plan(folder: Path, run: int, services: list[dict[str, Any]], end_at: int) -> None:
    """What the supervisor starts first. `end_at` (ms) is when it ends everything if nobody tells it otherwise."""
    programs = [asdict(_program(folder, told, images.of(told["proc"]))) for told in services]
    plan = {"site": site(folder), "run": run, "network": network(), "images": images.every(), "services": programs}
    write_json(folder / "plan.json", {**plan, "end_at": end_at, "grace_s": 6})


def start(folder: Path, process: Mapping[str, Any]) -> None:
    """Ask for one life of a worker."""
    told = _program(folder, process, images.of("worker"))
    line = {"command": "start", "proc": told.name, "life": told.life, "start_at": process.get("start_at", 0)}
    append_line(folder / "commands.jsonl", {**line, "program": asdict(told)})


def _program(folder: Path, process: Mapping[str, Any], image: str) -> Program:
    name, life = str(process["proc"]), int(process.get("life", 0))
    secret = folder / "secrets"
    if life:
        mine = sorted(str(path) for path in secret.glob(f"{name}.*"))
        reads = (str(folder / "task"), *(path for path in mine if not _of_another_life(path, life)))
    else:
        reads = tuple(str(secret / known) for known in READS.get(name, ()))
    if name == "gateway":
        told = read_json(folder / "services" / name / "config.json")
        reads = tuple(path for path in (_folder_of(told.get("endpoint_file")), told.get("key_file")) if path)
    # What a real service's image needs, in Program's own words; one of ours needs nothing but to be asked.
    own = dict(process["compose"]) if "compose" in process else _asked_inside(name, process["argv"][0])
    return program_of(
        {
            "name": name,
            "image": image,
            "argv": tuple(process["argv"]),
            "folder": str(process["cwd"]),
            "memory_bytes": int(process.get("memory_bytes") or 0),
            "life": life,
            "env": process["env"],
            **own,
            "reads": (*reads, *own.get("reads", ())),
        }
    )


def _asked_inside(name: str, python: str) -> dict[str, Any]:
    """How a program of ours is asked whether it is well; a real service brings a command of its own."""
    path = HEALTH.get(name)
    probe = f"import urllib.request as u; u.urlopen('http://127.0.0.1:{PORT}{path}', timeout=3)"
    return {"healthcheck": (python, "-c", probe)} if path else {}


def _folder_of(file: str | None) -> str | None:
    """The folder, not the file: it is replaced as a whole when it changes, and a bound file would stay the old one."""
    return str(Path(file).parent) if file else None


def _of_another_life(path: str, life: int) -> bool:
    """A token of the ingest is one life's; the rest are the worker's."""
    last = path.rpartition(".")[2]
    return last.isdigit() and int(last) != life


def command(folder: Path, name: str, **fields: Any) -> None:
    """Tell the supervisor: stop (proc), deadline (at), end. Read again after a restart, so idempotent."""
    append_line(folder / "commands.jsonl", {"command": name, **fields})


def status(folder: Path, offset: int) -> tuple[list[dict[str, Any]], int]:
    """What happened after `offset` of status.jsonl."""
    return read_lines(folder / "status.jsonl", offset)


def supervisor_alive(folder: Path) -> bool:
    """True while the run's supervisor lives."""
    return supervising.alive(folder)


def ensure_supervisor(folder: Path) -> bool:
    """Make the run's supervisor live; True if it had to be started. The stack of a dead one goes on and is taken over."""
    return supervising.ensure(folder, SUPERVISOR, {**supervising.inherited(), **_engine()})


def _engine() -> dict[str, str]:
    """Where Docker Engine is: the supervisor may know it, a worker never."""
    return {name: os.environ[name] for name in ("DOCKER_HOST", "HOME") if name in os.environ}


def progress(folder: Path) -> str:
    """What Compose last said it is at, such as `Container agensh-1-board Starting`; empty before."""
    path = folder / "status.jsonl"
    size = path.stat().st_size if path.exists() else 0
    lines, _ = read_lines(path, max(0, size - 4_000))
    told = [str(line["text"]) for line in lines if line.get("state") == "progress"]
    return told[-1] if told else ""


def fault(folder: Path) -> str:
    """Why the stack cannot be started; empty if nothing is wrong."""
    return str((read_json(folder / "fault.json") or {}).get("why", ""))


def ended(folder: Path) -> bool:
    """True when no supervisor lives and nothing of the run is left on the engine."""
    from runs.backends.compose import engine

    plan = read_json(folder / "plan.json")
    return not supervisor_alive(folder) and not (plan and engine.left_over(plan["site"], plan["run"]))


def kill(folder: Path) -> bool:
    """The last resort: kill the supervisor, remove everything of the run. True when nothing is left."""
    from runs.backends.compose import engine

    supervising.kill(folder)
    plan = read_json(folder / "plan.json")
    if plan:
        engine.remove_all(plan["site"], plan["run"])
    return ended(folder)

"""The whole stack of a run as the launcher plans it: one with stand-ins, one with a real Gitea, Mattermost and PostgreSQL.

After a change that is meant: look at the difference, then `AGENSH_GOLDEN=1 pytest tests/runs/backends/test_golden.py` writes the files anew.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from runs.backends import compose
from runs.backends.compose import images
from runs.backends.compose.allowed import faults
from runs.backends.compose.stack import Stack, program_of, render
from runs.backends.files import read_json, read_lines, write_json
from runs.folder import RunFolder
from runs.plan import service_names, service_process, worker_process, worker_spec
from runs.presets import PRESETS
from runs.services.standing import Standing

GOLDEN = Path(__file__).parent / "stacks"
DATA = "/var/lib/agensh"
SPEC = PRESETS["demo"].spec
KINDS = {"standins": (), "real": ("forge", "chat")}


def planned(data: Path, real: tuple[str, ...]) -> dict[str, Any]:
    """The document of the services and of the first worker, from the files that the launcher writes."""
    folder = RunFolder(data / "runs" / "demo-1")
    (data / "site").write_text("a1b2c3")
    for name in (
        "forge_admin",
        "chat_admin",
        "w0001.forge",
        "w0001.chat",
        "w0001.board",
        "w0001.ingest.1",
        "w0002.forge",
    ):
        folder.secrets.ensure(name)
    folder.task.mkdir(parents=True)
    ours = [name for name in service_names(SPEC) if name not in real]
    for name in ours:
        write_json(folder.service(name) / "config.json", {})
    services = Standing(compose, folder.path, 17, real).prepare("http://web:8000", "agensh", SPEC.workers)
    services += [service_process(name, folder.path, compose.environment(folder.service(name))) for name in ours]
    compose.write_plan(folder.path, 17, services, 0)
    worker = worker_spec(SPEC, 1, "w0001", "http://gateway:8000")
    compose.start(folder.path, worker_process(worker, 1, folder.path, compose.environment(folder.worker("w0001"))))
    lines, _ = read_lines(folder.path / "commands.jsonl", 0)
    plan = read_json(folder.path / "plan.json")
    programs = [*plan["services"], *(line["program"] for line in lines)]
    return render(Stack(plan["site"], plan["run"], tuple(map(program_of, programs)), plan["network"]))


@pytest.fixture(params=KINDS)
def stack(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, dict[str, Any]]:
    for name in [name for name in os.environ if name.startswith("AGENSH_") and name.endswith(("_IMAGE", "_NETWORK"))]:
        monkeypatch.delenv(name)
    told = json.dumps(planned(tmp_path, KINDS[request.param])).replace(str(tmp_path), DATA)
    return request.param, json.loads(told.replace(sys.executable, "/opt/agensh/venv/bin/python"))


def test_the_planned_stack_is_the_one_that_was_looked_at(stack: tuple[str, dict[str, Any]]) -> None:
    kind, document = stack
    file = GOLDEN / f"{kind}.json"
    if os.environ.get("AGENSH_GOLDEN"):
        file.write_text(json.dumps(document, indent=1) + "\n")
    assert document == json.loads(file.read_text())


def test_every_container_is_held_short(stack: tuple[str, dict[str, Any]]) -> None:
    """Read-only root with tmpfs, no capability, no new privileges, limits, capped logs, no root, its own folders, no secret's text."""
    kind, document = stack
    assert faults(document, f"{DATA}/runs/demo-1", images.every()) == []
    assert len(document["services"]) == (7 if kind == "real" else 6)
    for name, told in document["services"].items():
        limits = told["deploy"]["resources"]["limits"]
        assert told["read_only"] is True and told["tmpfs"][0].startswith("/tmp:"), name
        assert told["cap_drop"] == ["ALL"] and told["security_opt"] == ["no-new-privileges:true"], name
        assert int(limits["memory"]) > 0 and limits["pids"] > 0, name
        assert told["logging"]["options"] == {"max-size": "5m", "max-file": "2"}, name
        assert not told["user"].startswith("0") and "ports" not in told, name
        assert ("healthcheck" in told) == (name != "w0001" and (kind, name) != ("real", "chat")), name
        assert not any(
            word in key.upper() for key in told["environment"] for word in ("PASSWORD", "TOKEN", "SECRET", "KEY")
        ), name
    reads = [bind["source"] for bind in document["services"]["w0001"]["volumes"] if bind["read_only"]]
    assert not [path for path in reads if "w0002" in path or "admin" in path], "a worker sees its own tokens"

"""`mini` on a model that is not ours, inside the sandbox: what its command may see, and what a model that looks around in it finds."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs.backends.enclosed import PROGRAMS, enclosed
from runs.backends.sandbox.fence import FIRST_UID
from runs.harnesses import harness
from runs.spec import Command, WorkerSpec
from tests.docker.worker.conftest import FakeApp, FakeModel, Place, board, ingest, model, place, serving, until
from tests.runs.harnesses.test_commands import WORKER as ANY

# The worker tests' fixtures: the real loop, a real board, a model that is told what to say.
__all__ = ["board", "ingest", "model", "place"]

WORKER = replace(ANY, n=1, name="w0001", harness="mini", model="fake")
TASK = PROGRAMS / "tasks" / "rill"


def inside(worker: WorkerSpec, folder: Path, forge: str = "http://127.0.0.1:8000") -> tuple[Command, dict[str, Any]]:
    """A worker's command in the sandbox, and its fence."""
    endpoints = {"forge": {"url": forge}, "model": {"url": worker.model_url}, "board": {"url": "http://127.0.0.1:7000"}}
    command = enclosed(harness(worker.harness).command(worker), worker, folder, folder / "task", endpoints)
    return command, json.loads((folder / "fence.json").read_text())


def test_mini_sees_its_interpreter_its_packages_and_its_own_code_and_no_more_of_ours(tmp_path: Path) -> None:
    _, fence = inside(WORKER, tmp_path)
    prefix = str(Path(sys.prefix).resolve())
    assert prefix in fence["read"] or prefix.startswith("/usr/")
    ours = [path for path in fence["read"] if Path(path).is_relative_to(PROGRAMS)]
    assert ours == [str(PROGRAMS / "worker" / "__init__.py"), str(PROGRAMS / "worker" / "mini")]
    assert not any(TASK.is_relative_to(path) for path in fence["read"])
    assert "/clis" not in fence["read"]
    assert fence["ports"] == [8000, 9000]  # forge and model; the tools' own port is added when it is known


def test_the_sandboxs_import_path_and_minis_are_two_and_its_token_is_in_no_file(tmp_path: Path) -> None:
    command, _ = inside(WORKER, tmp_path)
    outer, inner = command.argv[: command.argv.index("--")], command.argv[command.argv.index("--") + 1 :]
    assert outer[1:3] == ("-m", "runs.backends.sandbox") and outer[-1] == "{mcp.port}"
    assert inner[:2] == ("/usr/bin/env", f"PYTHONPATH={PROGRAMS}") and inner[3:] == ("-m", "worker.mini")
    assert command.env["PYTHONPATH"] == str(PROGRAMS.parent)
    assert command.env["AGENSH_MODEL_TOKEN"] == "{token.model}"
    assert not any(name.endswith("_FILE") for name in command.env)


def test_an_agent_of_npm_sees_the_clis_and_nothing_of_ours(tmp_path: Path) -> None:
    command, fence = inside(replace(WORKER, harness="copilot"), tmp_path)
    assert "/clis" in fence["read"]
    assert not any(Path(path).is_relative_to(PROGRAMS) for path in fence["read"])
    assert "/usr/bin/env" not in command.argv


@pytest.fixture
def secrets(tmp_path: Path) -> list[Path]:
    """Files that no agent may read, as they lie around a worker's folder in a data folder."""
    found = [tmp_path / name for name in ("keys/far.key", "w0002/home/.git-credentials", "w0001/one.token")]
    for path in found[:2]:
        path.parent.mkdir(parents=True)
        path.write_text("canary")
    tests = [next(path for path in (TASK / name).rglob("*") if path.is_file()) for name in ("tests", "solutions")]
    return [*found, *tests, TASK / "tests.json", PROGRAMS / "standins" / "store.py", PROGRAMS.parent / "manage.py"]


async def test_what_a_model_makes_mini_run_reads_neither_keys_nor_peers_nor_hidden_tests_and_works_on(
    place: Place, model: FakeModel, ingest: FakeApp, board: str, secrets: list[Path], tmp_path: Path
) -> None:
    assert all(path.read_bytes() for path in [*secrets[:2], *secrets[3:]])
    look = "; ".join(f"cat {path} && echo READ {path}" for path in secrets)
    environs = "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -E '^[A-Z_]*(TOKEN|DATA_DIR)=|agw_1'"
    steps = iter(
        [
            ("shell", {"command": f"{look}; id -u; {environs}; touch {tmp_path}/keys/new; echo looked"}),
            (
                "shell",
                {"command": "echo built > result.txt && python3 -c 'print(6 * 7)' && git init -q . && cat result.txt"},
            ),
            ("board_write", {"type": "FACT", "text": "it is built"}),
            "done",
        ]
    )
    model.think = lambda messages: next(steps, "done")
    (place.folder / "model.token").write_text("agm-own\n")
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        command, _ = inside(replace(WORKER, model_url=f"{at_model}/v1"), place.folder)
        tokens = {**place.config["token_files"], "model": str(place.folder / "model.token")}
        told = {"command": list(command.argv), "token_files": tokens, "env": dict(command.env)}
        await place.start(model=at_model, ingest=at_app, board=board, **told)
        await until(lambda: ingest.loop("turn.finished"))
        code = await place.end()
    assert ingest.loop("turn.finished")[0]["error"] is None, place.log
    looked, built, noted = [m["content"] for m in model.requests[-1]["messages"] if m["role"] == "tool"][:3]
    said = json.loads(looked)["output"].splitlines()
    assert said[-1] == "looked"
    assert not any(line.startswith("READ") or "canary" in line for line in said)
    assert str(FIRST_UID + 1) in said
    assert sum("No such file" in line for line in said) == len(secrets) + 1
    assert {line for line in said if "=" in line} == {
        "AGENSH_MODEL_TOKEN=agm-own"
    }  # its own, as every agent's, and no other
    assert json.loads(built) == {"exit_code": 0, "output": "42\nbuilt\n"}
    assert (place.folder / "work" / "result.txt").read_text() == "built\n"
    assert '"note"' in noted, noted
    assert not (tmp_path / "keys" / "new").exists()
    assert b"agm-own" not in (place.folder / "worker.json").read_bytes() + (place.folder / "fence.json").read_bytes()
    assert code == 0

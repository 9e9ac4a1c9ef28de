"""The supervisor of a local run: it starts, restarts, obeys, ends, and leaves no process."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runs.backends import local, processes
from runs.backends.files import read_json

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True);"
    "time.sleep(60)",
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    run = tmp_path / "run"
    run.mkdir()
    yield run
    assert local.kill(run)


def proc(folder: Path, name: str, argv: list[str], **more: Any) -> dict[str, Any]:
    home = folder / name
    return {
        "proc": name,
        "argv": argv,
        "env": local.environment(home),
        "cwd": str(home),
        "log": str(home / "log"),
        **more,
    }


def begin(folder: Path, *services: dict[str, Any], seconds: float = 60) -> None:
    local.write_plan(folder, 1, [{**s, "service": True} for s in services], int((time.time() + seconds) * 1000))
    local.ensure_supervisor(folder)


def states(folder: Path, name: str) -> list[tuple[int, str]]:
    return [(line["life"], line["state"]) for line in local.status(folder, 0)[0] if line["proc"] == name]


def wait(what: Callable[[], bool], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def test_service_that_exits_is_started_again_under_the_next_life(folder: Path) -> None:
    begin(folder, proc(folder, "board", [sys.executable, "-c", "import time; time.sleep(0.3)"]))
    wait(lambda: (2, "started") in states(folder, "board"))


def test_worker_starts_once_and_its_death_is_reported_with_the_signal(folder: Path) -> None:
    begin(folder)
    local.command(folder, "start", life=1, **proc(folder, "w0001", SLEEP))
    wait(lambda: (1, "started") in states(folder, "w0001"))
    started = next(line for line in local.status(folder, 0)[0] if line["proc"] == "w0001")
    os.kill(started["pid"], signal.SIGKILL)
    wait(lambda: (1, "exited") in states(folder, "w0001"))
    line = local.status(folder, 0)[0][-1]
    assert (line["signal"], line["code"], line["expected"]) == (9, None, False)


def test_worker_told_to_stop_exits_as_expected(folder: Path) -> None:
    begin(folder)
    local.command(folder, "start", life=1, **proc(folder, "w0001", SLEEP))
    wait(lambda: (1, "started") in states(folder, "w0001"))
    local.command(folder, "stop", proc="w0001")
    wait(lambda: (1, "exited") in states(folder, "w0001"))
    assert local.status(folder, 0)[0][-1]["expected"] is True


def test_end_leaves_no_process_even_of_the_stubborn(folder: Path) -> None:
    begin(folder, proc(folder, "board", STUBBORN))
    local.command(folder, "start", life=1, **proc(folder, "w0001", STUBBORN))
    wait(lambda: len(processes.marked(f"AGENSH_RUN_DIR={folder}")) == 4)
    local.command(folder, "end")
    wait(lambda: local.ended(folder), 12)


def test_everything_ends_at_the_deadline(folder: Path) -> None:
    begin(folder, proc(folder, "board", SLEEP), seconds=1)
    wait(lambda: local.ended(folder))
    assert [line["why"] for line in local.status(folder, 0)[0] if line["state"] == "ending"] == ["deadline"]


def test_everything_ends_when_the_run_folder_is_gone(folder: Path) -> None:
    begin(folder, proc(folder, "board", STUBBORN))
    wait(lambda: (1, "started") in states(folder, "board"))
    known = read_json(folder / "supervisor.json")
    shutil.rmtree(folder)
    wait(lambda: not processes.alive(known["pid"], known["started"]))
    assert processes.marked(f"AGENSH_RUN_DIR={folder}") == []


def test_next_supervisor_goes_on_where_a_killed_one_stopped(folder: Path) -> None:
    begin(folder, proc(folder, "board", SLEEP))
    local.command(folder, "start", life=1, **proc(folder, "w0001", SLEEP))
    wait(lambda: (1, "started") in states(folder, "w0001"))
    os.kill(read_json(folder / "supervisor.json")["pid"], signal.SIGKILL)
    wait(lambda: not local.supervisor_alive(folder))
    assert local.ensure_supervisor(folder) is True
    wait(lambda: (2, "started") in states(folder, "board"))
    assert states(folder, "w0001") == [(1, "started"), (1, "exited")]
    local.command(folder, "start", life=2, **proc(folder, "w0001", SLEEP))
    wait(lambda: (2, "started") in states(folder, "w0001"))


def test_second_supervisor_of_a_run_gives_way(folder: Path) -> None:
    begin(folder, proc(folder, "board", SLEEP))
    assert local.ensure_supervisor(folder) is False
    (folder / "supervisor.json").rename(folder / "hidden")
    with pytest.raises(AssertionError):
        wait(lambda: (2, "started") in states(folder, "board"), 1)
    (folder / "hidden").rename(folder / "supervisor.json")


def test_worker_over_its_memory_ceiling_is_ended_as_out_of_memory(folder: Path) -> None:
    begin(folder)
    hungry = [sys.executable, "-c", "x = bytearray(200 << 20); import time; time.sleep(60)"]
    local.command(folder, "start", life=1, memory_bytes=100 << 20, **proc(folder, "w0001", hungry))
    wait(lambda: (1, "exited") in states(folder, "w0001"))
    assert local.status(folder, 0)[0][-1]["oom"] is True

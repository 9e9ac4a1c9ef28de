"""The small agent's shell: codes, limits of time and output, and what it does not pass on."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from worker.mini import shell


async def test_a_command_gives_its_code_and_both_outputs(tmp_path: Path) -> None:
    assert await shell.run("pwd; echo bad >&2; exit 3", tmp_path) == {"exit_code": 3, "output": f"{tmp_path}\nbad\n"}


async def test_a_command_out_of_time_is_killed_with_what_it_started(tmp_path: Path) -> None:
    began = time.monotonic()
    result = await shell.run("sleep 60 & echo $! > pid; echo begun; sleep 60", tmp_path, 0.5)
    assert time.monotonic() - began < 5
    assert result == {"exit_code": 124, "output": "begun\n", "timed_out": True}
    stat = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


async def test_a_long_output_keeps_its_head_and_its_tail(tmp_path: Path) -> None:
    result = await shell.run("seq 1 100000", tmp_path)
    assert result["output"].startswith("1\n2\n") and result["output"].endswith("\n100000\n")
    assert "bytes left out]" in result["output"] and len(result["output"]) < 31_000


async def test_a_process_left_in_the_background_does_not_hold_the_answer(tmp_path: Path) -> None:
    began = time.monotonic()
    assert (await shell.run("sleep 20 & echo ok", tmp_path))["output"] == "ok\n"
    assert time.monotonic() - began < 5


async def test_the_models_key_is_not_in_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENSH_MODEL_TOKEN", "agm-1")
    assert (await shell.run("echo [$AGENSH_MODEL_TOKEN]", tmp_path))["output"] == "[]\n"

"""A command that cannot use a setting says so in one line, and names the setting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("AGENSH_", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")


def run_state(**settings: str) -> subprocess.CompletedProcess[str]:
    """`manage.py run_state nothing` with these settings and no others of ours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    command = [sys.executable, "manage.py", "run_state", "nothing", "--json"]
    return subprocess.run(command, cwd=ROOT, env=kept | settings, capture_output=True, text=True, check=False)


def test_a_command_before_the_first_start_names_the_setting_and_the_fix(tmp_path: Path) -> None:
    answer = run_state(AGENSH_DATA_DIR=str(tmp_path))
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "AGENSH_DATA_DIR" in answer.stderr and "manage.py migrate" in answer.stderr


def test_a_reader_that_has_enough_ends_a_command_without_a_word() -> None:
    command = f"{sys.executable} manage.py help 2>&1 | head -0; exit ${{PIPESTATUS[0]}}"
    answer = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("AGENSH_SECRET_KEY_FILE", "{tmp}/absent", "No such file"),
        ("AGENSH_SECRET_KEY_FILE", "{tmp}/empty", "is empty"),
        ("AGENSH_SECRET_KEY_FILE", "{tmp}/bytes", "not text"),
        ("AGENSH_DATA_DIR", "{tmp}/empty/below", "lies below a file"),
        ("DATABASE_URL", "mysql://someone:hush-hush@somewhere/name", "postgres://"),
        ("DATABASE_URL", "postgres://someone:hush-hush@somewhere:port/name", "postgres://"),
        ("DATABASE_URL", "postgres://someone:hush-hush@[somewhere/name", "postgres://"),
    ],
)
def test_a_setting_that_cannot_be_used_is_one_line_without_its_secret(
    tmp_path: Path, setting: str, value: str, words: str
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    answer = run_state(**{"AGENSH_DATA_DIR": str(tmp_path), setting: value.format(tmp=tmp_path)})
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert setting in answer.stderr and words in answer.stderr
    assert "hush-hush" not in answer.stderr

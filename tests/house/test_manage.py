"""A command that cannot use its database says so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_command_before_the_first_start_names_the_setting_and_the_fix(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}}
    env = {**kept, "AGENSH_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "manage.py", "run_state", "nothing", "--json"]
    answer = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert "AGENSH_DATA_DIR" in answer.stderr and "manage.py migrate" in answer.stderr

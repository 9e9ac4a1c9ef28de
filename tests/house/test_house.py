"""The house rules that a reader would otherwise have to remember."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_rooms_import_in_one_direction_only() -> None:
    lint = Path(sys.executable).parent / "lint-imports"
    found = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_programs_of_the_team_import_neither_django_nor_the_app() -> None:
    forbidden = ("import django", "from django", "from runs", "import runs", "from trajectories", "import trajectories")
    guilty = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "docker").rglob("*.py")
        for line in path.read_text().splitlines()
        if line.strip().startswith(forbidden)
    ]
    assert guilty == []


def test_top_level_holds_the_agreed_names_only() -> None:
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = {name for name in listed.stdout.split() if not name.startswith(".")}
    agreed = (
        "manage.py pyproject.toml agensh_web runs trajectories templates static docker tests README.md Makefile LICENSE"
    )
    assert names <= {*agreed.split(), "CHANGELOG.md", "CONTRIBUTING.md"}


def test_files_stay_short() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py", "*.js"], cwd=ROOT, capture_output=True, text=True, check=True)
    named_exceptions = ("/migrations/", "static/vendor/", "docker/tasks/")
    long = []
    for name in listed.stdout.split():
        path = ROOT / name
        if path.exists() and not any(part in f"/{name}" for part in named_exceptions):
            lines = len(path.read_text().splitlines())
            if lines > 250:
                long.append(f"{name}: {lines} lines")
    assert long == []


def test_a_time_of_day_on_a_page_says_its_zone() -> None:
    bare = [
        str(path)
        for path in (ROOT / "templates").rglob("*.html")
        if re.search(r"\|date:[\"'][^\"']*[HiGgPc]", path.read_text())
    ]
    assert bare == [], "use the filter `utc`"

"""The README's tables say what the code has, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agensh_web import env
from runs.backends import BACKENDS
from runs.harnesses import HARNESSES
from trajectories.sources import SOURCES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def rows(heading: str) -> dict[str, str]:
    """First and second cell of each row of the table under a heading."""
    section = re.split(r"\n#+ ", README.split(f"{heading}\n", 1)[1])[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.*?) \|", section, flags=re.M))


@pytest.mark.parametrize(
    ("heading", "registry"),
    [("### Sources", SOURCES), ("### Harnesses", HARNESSES), ("### Backends", BACKENDS)],
)
def test_readme_lists_every_entry_of_the_registry(heading: str, registry: dict[str, object]) -> None:
    assert set(rows(heading)) == set(registry)


def test_readme_explains_every_setting_in_the_words_of_the_code() -> None:
    assert rows("## Settings") == env.SETTINGS


def test_every_target_named_in_the_readme_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    named = set(re.findall(r"^make ([a-z-]+)", README, flags=re.M))
    assert named
    assert named <= targets


def test_every_room_has_a_readme() -> None:
    rooms = ["runs", "trajectories", "docker", "static", "templates", "tests", "agensh_web"]
    assert [room for room in rooms if not (ROOT / room / "README.md").exists()] == []

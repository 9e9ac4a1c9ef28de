"""A big bundle is folded by another process while it is stored: to the byte what one process makes of it, whatever happens to the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from runs.simulate import simulate

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("alongside")
    made, bundle, late, foreign = (folder / f"{name}.agrun.zip" for name in ("made", "team", "late", "foreign"))
    simulate(16, 1.0, 7, made)
    with zipfile.ZipFile(made) as told, ExitStack() as held:
        files = {path: held.enter_context(zipfile.ZipFile(path, "w")) for path in (bundle, late, foreign)}
        for name in told.namelist():
            text = _received(told.read(name)) if name == "deliveries/acp.jsonl" else told.read(name)
            for path, to in files.items():
                board = name == "deliveries/board.jsonl" and path != bundle
                to.writestr(name, _last_comes_first_note(text, spaced=path == foreign) if board else text)
    environment = {**os.environ, "AGENSH_DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "agensh_web.settings"}
    environment = {name: value for name, value in environment.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    command = [sys.executable, "-m", "tests.trajectories.alongside", str(bundle), str(late), str(foreign)]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2_000:]
    return dict(json.loads(ran.stdout.splitlines()[-1]))


def _received(text: bytes) -> bytes:
    """In order of receipt, as an export writes them and the simulator does not."""
    return b"".join(sorted(text.splitlines(keepends=True), key=lambda line: json.loads(line)["received_at"]))


def _last_comes_first_note(text: bytes, *, spaced: bool) -> bytes:
    """`spaced`: not written as we write lines, so that nobody knows before it is read."""
    first, *others = text.splitlines()
    moved = {**json.loads(first), "received_at": json.loads(others[-1])["received_at"]}
    separators = (", ", ": ") if spaced else (",", ":")
    return b"\n".join([*others, json.dumps(moved, separators=separators).encode()]) + b"\n"


def test_what_the_other_process_settles_is_the_same_to_the_byte(found: dict[str, Any]) -> None:
    assert found["alongside"]["by_the_other"]
    assert not found["plain"]["by_the_other"]
    assert found["alongside"]["digests"] == found["plain"]["digests"]
    assert found["alongside"]["hash"] == found["plain"]["hash"] != ""


def test_an_event_that_comes_later_than_was_thought_has_all_of_it_settled_from_the_beginning(
    found: dict[str, Any],
) -> None:
    assert not found["foreign"]["by_the_other"]
    assert found["foreign"]["digests"] == found["plain_late"]["digests"] != found["plain"]["digests"]


def test_an_event_that_is_known_to_come_late_is_waited_for(found: dict[str, Any]) -> None:
    assert found["late"]["by_the_other"]
    assert found["late"]["digests"] == found["plain_late"]["digests"]


def test_if_the_other_dies_the_one_that_stores_settles(found: dict[str, Any]) -> None:
    assert not found["dead"]["by_the_other"]
    assert found["dead"]["digests"] == found["plain"]["digests"]

"""The commands, as a person or a script types them."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.trajectories.told import FOLDER

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "story")
    return tmp_path / "story"


def test_commands_tell_what_they_did_and_exit_2_on_bad_input(folder: Path, tmp_path: Path) -> None:
    out = StringIO()
    call_command("import_run", str(folder), "--json", stdout=out)
    told = json.loads(out.getvalue())
    call_command("run_state", told["run"], "--json", stdout=(shown := StringIO()))
    state = json.loads(shown.getvalue())
    assert (state["hash"], set(state)) == (told["hash"], {"hash", "rules_version", "tables"})
    call_command("run_state", told["run"], "--table", "pulls", "--at", "60", "--json", stdout=(early := StringIO()))
    assert set(json.loads(early.getvalue())["tables"]) == {"pulls"}
    call_command("run_events", told["run"], "--kind", "pull.*", "--jsonl", stdout=(events := StringIO()))
    kinds = {json.loads(line)["kind"] for line in events.getvalue().splitlines()}
    assert "pull.merged" in kinds
    assert all(kind.startswith("pull.") for kind in kinds)
    call_command("rederive", told["run"], "--parse", stdout=(again := StringIO()))
    assert told["hash"] in again.getvalue()
    call_command("export_run", told["run"], str(tmp_path / "o.zip"), stdout=StringIO())
    wrong = [
        ("run_state", "nobody"),
        ("run_state", told["run"], "--table", "nothing"),
        ("import_run", "/nowhere"),
        ("export_run", told["run"], str(tmp_path / "o.zip")),
    ]
    for command in wrong:
        with pytest.raises(CommandError) as caught:
            call_command(*command)
        assert caught.value.returncode == 2
        assert "\n" not in str(caught.value)

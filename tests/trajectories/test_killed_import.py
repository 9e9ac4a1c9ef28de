"""An import that is killed goes on where it was: what it comes to is what an undisturbed one comes to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from runs.simulate import simulate

ROOT = Path(__file__).parents[2]
KILLS = 20


def test_an_import_of_64_workers_killed_at_twenty_random_points_loses_and_doubles_nothing(tmp_path: Path) -> None:
    bundle = tmp_path / "team.agrun.zip"
    simulate(64, 0.1, 7, bundle)
    command = [sys.executable, "-m", "tests.trajectories.killed", str(bundle), str(tmp_path), str(KILLS), "11"]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.house.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT}/docker",
    }
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
    assert told.returncode == 0, told.stderr[-2_000:]
    found = json.loads(told.stdout.splitlines()[-1])
    whole = {name: found[name] for name in ("hash", "rejected", "events", "n")}
    assert len(found["killed"]) == KILLS
    assert len({each["moment"] for each in found["killed"]}) > KILLS // 2
    for each in found["killed"]:
        assert (each["hash"], each["rejected"], each["n"]) == (whole["hash"], 0, whole["n"]), each
    assert {"storing", "deriving"} <= {each["phase"] for each in found["killed"]}

"""The limited process behind scorer `suite`: lowers itself, builds, runs the tests one by one, keeps `outcome.json` up to date.

Started as a script with the scratch folder as its only argument; it imports nothing of this project.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

NICE = 15
BUILD_S, TEST_S = 60.0, 5.0
TIMEOUTS = 5  # after so many tests out of time the program hangs: the rest is not run
FILE_BYTES = 64 << 20
OUTPUT_BYTES = 1 << 20

_running: set[int] = set()


def lower(job: dict[str, Any]) -> None:
    """Low priority and hard limits, inherited by everything started from here."""
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (int(job["cpu_s"]), int(job["cpu_s"]) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (int(job["memory_bytes"]), int(job["memory_bytes"])))


def run(command: str, cwd: Path, env: dict[str, str], seconds: float) -> tuple[bytes, int | None]:
    """Output (standard output, then standard error) and exit code; None if it ran out of time. Nothing it started is left."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            ["sh", "-c", command], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, process_group=0
        )
        _running.add(process.pid)
        try:
            code: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        kill(process.pid)
        process.wait()
        _running.discard(process.pid)
        out.seek(0)
        err.seek(0)
        return out.read(OUTPUT_BYTES) + err.read(OUTPUT_BYTES), code


def kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def main(scratch: Path) -> int:
    job = json.loads((scratch / "job.json").read_text("utf-8"))
    tests, program = job["tests"], scratch / "program"
    outcome: dict[str, Any] = {"passed": 0, "not_run": len(tests), "error_code": None}

    def keep() -> None:
        draft = scratch / "outcome.draft"
        draft.write_text(json.dumps(outcome), "utf-8")
        draft.replace(scratch / "outcome.json")

    def stop(*_: object) -> None:
        for group in list(_running):
            kill(group)
        outcome["error_code"] = "timeout"
        keep()
        os._exit(1)

    signal.signal(signal.SIGTERM, stop)
    lower(job)
    # a version manager's shim in PATH would cost more than the tests: this Python first
    path = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(scratch), "TMPDIR": str(scratch), "LC_ALL": "C.UTF-8"}
    output, code = run(job["build"]["command"], program, env, BUILD_S)
    built = program / job["build"]["program"]
    if code != 0 or not built.is_file() or not os.access(built, os.X_OK):
        sys.stderr.write(output.decode("utf-8", "replace"))
        outcome["error_code"] = "compile_failed"
        keep()
        return 0
    shims = scratch / "bin"
    shims.mkdir()
    (shims / job["build"]["program"]).symlink_to(built)
    env["PATH"] = f"{shims}:{path}"
    late, began = 0, time.monotonic()
    for n, test in enumerate(tests):
        if late >= TIMEOUTS or time.monotonic() - began > job["wall_s"]:
            outcome["error_code"] = "timeout"
            break
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            output, code = run(test["run"], Path(folder), env, TEST_S)
        late += code is None
        said = output.decode("utf-8", "backslashreplace")
        outcome["passed"] += said == test["output"] and code == test["code"]
        outcome["not_run"] = len(tests) - n - 1
        if n % 10 == 0:
            keep()
    keep()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

"""Programs of the team as processes of a measurement: started from `docker/`, in a folder of their own, ended with the block."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCKER = Path(__file__).resolve().parents[2] / "docker"
READY_S = 60.0


def environment() -> dict[str, str]:
    """What they inherit: the way to the programs, and no setting of the app."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": str(DOCKER), "PYTHONDONTWRITEBYTECODE": "1"}


@contextlib.contextmanager
def service(module: str, folder: Path, **config: Any) -> Iterator[tuple[str, int]]:
    """A service of the team while the block runs: its address and process id."""
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "ready.json"
    (folder / "config.json").write_text(json.dumps({"data_dir": "data", "ready_file": "ready.json", **config}))
    with (folder / "log.txt").open("ab") as log:
        command = [sys.executable, "-m", module, "--config", str(folder / "config.json")]
        process = subprocess.Popen(command, env=environment(), stdout=log, stderr=log)
    try:
        end = time.monotonic() + READY_S
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{module} did not start: {(folder / 'log.txt').read_text()[-500:]}")
            time.sleep(0.05)
        yield str(json.loads(ready.read_text())["url"]), process.pid
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def many_sockets(count: int) -> None:
    """Let this process have so many open files beside its own. Raises ValueError where the machine does not allow it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 1_024
    if 0 <= soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def memory_mb(pid: int) -> float:
    """Memory of a process, shared pages by share (PSS), in MB; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def cpu_s(pid: int, *, ended: bool = False) -> float:
    """Processor seconds of a process so far, with those of its children that `ended`; 0 once it is gone."""
    try:
        rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(each) for each in rest[11 : 15 if ended else 13]) / os.sysconf("SC_CLK_TCK")

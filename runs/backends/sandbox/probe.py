"""Whether a sandbox can be made here and holds: tried for real, by looking around inside one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs.backends.sandbox.fence import FIRST_UID, Fence

ROOT = Path(__file__).resolve().parents[3]
KEPT_S = 60.0  # an answer holds for so long: a form asks at every keystroke
LOOK = 'echo "$(id -u) $(ls /proc | grep -c "^[0-9]") $(grep -c : /proc/net/dev) $(test -e "$1" && echo seen || echo hidden)"; touch "$HOME/x"'
_last: tuple[float, str] = (0.0, "")


def fault(secret: Path) -> str:
    """Why agents cannot be isolated on this machine, as one sentence; empty if they can. `secret` is a folder that must not be seen."""
    global _last
    if time.monotonic() - _last[0] > KEPT_S or not _last[0]:
        _last = (time.monotonic(), _try(secret))
    return _last[1]


def _try(secret: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="agensh-probe-") as place:
        home, file = Path(place) / "home", Path(place) / "fence.json"
        home.mkdir()
        fence = Fence("probe", FIRST_UID, str(home), str(home), str(Path(place) / "tmp"))
        file.write_text(json.dumps(fence.dump()))
        command = [sys.executable, "-m", "runs.backends.sandbox", str(file), "0", "--"]
        command += ["/bin/sh", "-c", LOOK, "sh", str(secret)]
        env = {"PYTHONPATH": str(ROOT), "HOME": str(home), "PATH": "/usr/bin:/bin"}
        try:
            done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return f"the sandbox does not start ({type(problem).__name__})"
        if done.returncode:
            return done.stderr.strip().removeprefix("sandbox: ").splitlines()[-1][:200] or f"exit {done.returncode}"
        return _judge(done.stdout.split(), (home / "x").exists())


def _judge(seen: list[str], wrote: bool) -> str:
    """What a look around must find: its own user, few processes, loopback alone, no folder of ours."""
    if len(seen) != 4 or not wrote:
        return "inside, nothing can be written or read"
    user, processes, devices, folder = seen
    if user != str(FIRST_UID) or int(processes) > 12 or devices != "1" or folder != "hidden":
        return f"it does not hold: user {user}, {processes} processes, {devices} network devices, the app's folder {folder}"
    return ""

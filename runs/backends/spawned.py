"""One process that the supervisor starts: when it is due, how it starts, how it is stopped. Standard library only."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from runs.backends.processes import die_with_parent, send

_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _STEADY_S = 0.5, 8.0, 20.0


class Spawned:
    """A service (started again whenever it exits) or a worker's life (started once). `pid` is 0 while none runs."""

    def __init__(self, name: str, spec: dict[str, Any], life: int) -> None:
        self.name = name
        self.spec = spec  # empty: only known from an earlier supervisor
        self.life = life
        self.pid = 0
        self.stopping = False
        self.oom = False
        self._kill_at: float | None = None
        self._due = bool(spec)
        # `start_at` is wall time (ms): workers of the ramp join on time also while the app is down.
        self._due_at = time.monotonic() + max(0.0, int(spec.get("start_at") or 0) / 1000 - time.time())
        self._started = 0.0
        self._pause = _FIRST_PAUSE_S

    @property
    def is_service(self) -> bool:
        return bool(self.spec.get("service"))

    @property
    def memory_bytes(self) -> int:
        return int(self.spec.get("memory_bytes") or 0)

    def is_due(self, moment: float) -> bool:
        return self._due and self.pid == 0 and not self.stopping and moment >= self._due_at

    def start(self, folder: Path) -> None:
        """Start the next life: own session, output to its log, nothing inherited but what the spec names."""
        self.life += 1
        self.oom = False
        log = Path(self.spec["log"])
        log.parent.mkdir(parents=True, exist_ok=True)
        env = {**self.spec["env"], "AGENSH_RUN_DIR": str(folder), "AGENSH_PROC": self.name}
        Path(self.spec["cwd"]).mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            process = subprocess.Popen(
                self.spec["argv"],
                cwd=self.spec["cwd"],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                preexec_fn=_unblock,
            )
        self.pid, process.returncode = process.pid, 0  # we reap it ourselves, with all the others
        self._due, self._started = False, time.monotonic()

    def ended(self) -> None:
        """It exited; a service is due again after a pause that grows while it keeps exiting early."""
        self.pid, self._kill_at = 0, None
        if self.is_service and not self.stopping:
            steady = time.monotonic() - self._started > _STEADY_S
            self._pause = _FIRST_PAUSE_S if steady else min(self._pause * 2, _LONGEST_PAUSE_S)
            self._due, self._due_at = True, time.monotonic() + self._pause / 2

    def stop(self, grace_s: float, now: bool = True) -> None:
        """SIGTERM, and SIGKILL after the grace; asked twice, the sooner holds. `now=False` only bars further starts."""
        self.stopping = True
        if self.pid == 0 or not now:
            return
        if self._kill_at is None:
            send([self.pid], signal.SIGTERM)
        end = time.monotonic() + grace_s
        self._kill_at = end if self._kill_at is None else min(self._kill_at, end)

    def kill_if_late(self, moment: float) -> None:
        if self.pid and self._kill_at is not None and moment > self._kill_at:
            send([self.pid], signal.SIGKILL)

    def owns(self, pid: int) -> bool:
        """True if `pid` was started by this process or below it: the environment tells, whoever its parent is now."""
        try:
            return f"AGENSH_PROC={self.name}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False


def _unblock() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    die_with_parent()

"""The supervisor's status lines become run events and worker rows, each exactly once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from runs.backends import backend_of
from runs.backends.files import tail
from runs.folder import RunFolder
from runs.models import Run, Worker


def read_status(run: Run, folder: RunFolder) -> int:
    """Read on from the stored cursor; gives how many lines were taken. Cursor and events move in one transaction."""
    lines, after = backend_of(run).status(folder.path, run.monitor.get("status", 0))
    if not lines:
        return 0
    with run.locked():
        if after <= run.monitor.get("status", 0):
            return 0
        for line in lines:
            _take(run, folder, line)
        run.monitor["status"] = after
        run.save(update_fields=["monitor"])
    return len(lines)


def _take(run: Run, folder: RunFolder, line: dict[str, Any]) -> None:
    proc, state = str(line.get("proc")), line.get("state")
    if proc == "supervisor":
        return
    services = run.monitor.setdefault("services", {})
    worker = Worker.objects.select_for_update().filter(run=run, name=proc).first()
    if worker is None:
        if services.get(proc) and run.status in {"starting", "running"}:
            _service(run, folder, services, line)
        return
    if state == "usage":
        run.record("usage.sampled", at=line["at"], worker=worker.n, rss_mb=line["rss_mb"], cpu=line["cpu_ms"])
    elif state == "started":
        _joined(run, worker, line)
    elif state == "exited":
        _exited(run, worker, line)
    elif state == "child_oom":
        run.record("worker.starved", at=line["at"], worker=worker.n, life=line["life"])


def _service(run: Run, folder: RunFolder, services: dict[str, str], line: dict[str, Any]) -> None:
    """Its exit, and what its container's own healthcheck found; that it answers again is `health`'s to say."""
    proc, log = str(line["proc"]), tail(folder.service(str(line["proc"])) / "log.txt")
    if line["state"] == "exited":
        services[proc] = "exited"
        run.record("service.exited", at=line["at"], service=proc, code=_code(line), log_tail=log)
    elif line["state"] == "unhealthy" and services[proc] == "up":
        services[proc] = "unhealthy"
        run.record("service.unhealthy", at=line["at"], service=proc, log_tail=log)


def _joined(run: Run, worker: Worker, line: dict[str, Any]) -> None:
    worker.status = Worker.Status.ALIVE
    worker.handle = {**worker.handle, "pid": line.get("pid"), "started": line.get("started")}
    worker.last_seen_at = _moment(line)
    worker.save(update_fields=["status", "handle", "last_seen_at"])
    run.record("worker.joined", at=line["at"], worker=worker.n, life=line["life"])


def _exited(run: Run, worker: Worker, line: dict[str, Any]) -> None:
    expected = bool(line.get("expected"))
    if line["life"] >= worker.life:
        worker.status = Worker.Status.ENDED if expected else Worker.Status.DEAD
        worker.last_seen_at = _moment(line)
        worker.save(update_fields=["status", "last_seen_at"])
    run.record(
        "worker.exited",
        at=line["at"],
        worker=worker.n,
        life=line["life"],
        code=line.get("code"),
        signal=line.get("signal"),
        oom=bool(line.get("oom")),
        expected=expected,
    )


def _code(line: dict[str, Any]) -> int | None:
    """The exit code; for a signal its negative number, as the kernel's callers know it."""
    signal = line.get("signal")
    return -int(signal) if signal else line.get("code")


def _moment(line: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(line["at"] / 1000, UTC)

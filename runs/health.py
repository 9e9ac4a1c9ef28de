"""Are the team's services well? Asked every few seconds; a change of the answer is an event."""

from __future__ import annotations

import time

import httpx

from runs.backends.files import read_json, tail
from runs.folder import RunFolder
from runs.models import Run
from runs.plan import HEALTH
from runs.services import postgres
from runs.services.postgres import granting

EVERY_S = 5
_asked: dict[int, float] = {}


def watch_services(run: Run, folder: RunFolder) -> None:
    """Ask each service that was ever up; `exited` ones that answer again were started anew."""
    if time.monotonic() - _asked.get(run.pk, 0.0) < EVERY_S:
        return
    _asked[run.pk] = time.monotonic()
    known = dict(run.monitor.get("services", {}))
    changed = {name: _answer(folder, name) for name in known}
    news = {name: now for name, now in changed.items() if now != (known[name] == "up")}
    if not news:
        return
    with run.locked():
        services = run.monitor.setdefault("services", {})
        for name, well in news.items():
            before = services.get(name)
            if well and before != "up":
                run.record("service.started" if before == "exited" else "service.recovered", service=name)
                services[name] = "up"
            elif not well and before == "up":
                run.record("service.unhealthy", service=name, log_tail=tail(folder.service(name) / "log.txt"))
                services[name] = "unhealthy"
        run.save(update_fields=["monitor"])


def forget(run: Run) -> None:
    """The run is over."""
    _asked.pop(run.pk, None)


def _answer(folder: RunFolder, name: str) -> bool:
    ready = read_json(folder.service(name) / "ready.json")
    if not ready:
        return False
    if name == postgres.NAME:
        return granting.answers(ready["url"])
    try:
        return httpx.get(ready["url"] + HEALTH[name], timeout=3, trust_env=False).is_success
    except httpx.HTTPError:
        return False

"""Workers that are killed and services of the app that are restarted, in the middle of runs: nothing is lost, nothing is doubled, nothing is left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docker.stack import short_task
from tests.docker.stack.engine import docker
from tests.docker.stack.production import Production
from tests.docker.stack.proof import complete, nothing_left
from tests.docker.stack.secrecy import environments, shown
from tests.runs.locked_model import LockedModel

pytestmark = pytest.mark.docker
KEY = "sk-canary-71aa5b0e-4c1d-in-containers"
PYTHON = "/opt/agensh/venv/bin/python"
# The worker's own process is a child of the container's init.
FIND = "import os; pid = next(p for p in os.listdir('/proc') if p.isdigit() and b'worker.json' in open(f'/proc/{p}/cmdline', 'rb').read() and p != str(os.getpid()) and b'docker-init' not in open(f'/proc/{p}/cmdline', 'rb').read()); "
CHOSEN = FIND + "open(f'/proc/{pid}/oom_score_adj', 'w').write('1000')"
CRASHED = FIND + "os.kill(int(pid), 11)"
HOG = "x = b'1' * (1300 << 20)"


@pytest.fixture
def locked(production: Production, tmp_path: Path) -> Iterator[LockedModel]:
    """A model outside the stack that wants a key, fails now and then and repeats the key in its errors; only a gateway can reach it."""
    host = docker("network", "inspect", "bridge", "--format", "{{(index .IPAM.Config 0).Gateway}}")
    model = LockedModel(tmp_path / "model", KEY, host=host, task=production.data / "tasks" / short_task.NAME)
    production.give_key("canary", model.url, KEY)
    yield model
    model.close()


def test_two_runs_at_once_one_of_them_with_dying_workers(production: Production, locked: LockedModel) -> None:
    """A worker that the memory limit kills, a child of a worker that it kills, and a worker that crashes; the neighbour, on a model
    that wants a key, runs undisturbed and shows the key nowhere."""
    quiet = production.launch(name="Quiet", workers=3, model="gpt-5.6-sol", endpoint="canary")
    long = {
        "task": "rill",
        "duration_s": 150,
        "checkpoint_s": 30,
        "ends_early": False,
    }  # not over before its workers died
    troubled = production.launch(name="Troubled", workers=5, **long)
    production.until(troubled, lambda told: told["phase"] == "running", 150)
    boards = {production.container(slug, "board") for slug in (quiet, troubled)}
    assert len(boards) == 2, "two at once"

    assert KEY not in shown() and KEY not in environments()
    starved, mother, crashing = (production.container(troubled, name) for name in ("w0001", "w0002", "w0003"))
    docker("exec", mother, PYTHON, "-c", HOG, check=False)
    docker("exec", starved, PYTHON, "-c", CHOSEN)
    docker("exec", starved, PYTHON, "-c", HOG, check=False)
    docker("exec", crashing, PYTHON, "-c", CRASHED)

    production.heard(troubled, "worker.starved", 30, worker=2)
    killed = production.heard(troubled, "worker.exited", 30, worker=1, life=1)
    assert killed["fields"]["oom"] is True and killed["fields"]["signal"] == 9
    crashed = production.heard(troubled, "worker.exited", 30, worker=3, life=1)
    assert (crashed["fields"]["signal"], crashed["fields"]["oom"], crashed["fields"]["expected"]) == (11, False, False)
    production.heard(troubled, "worker.joined", 60, worker=1, life=2)
    production.heard(troubled, "worker.joined", 60, worker=3, life=2)
    production.end_early(troubled)
    for slug in (troubled, quiet):
        production.wait(slug, "ended", 300)
    assert production.table(troubled, "workers")["2"]["life"] == 1, "a worker that lost a child lives on"
    assert all(row["life"] == 1 for row in production.table(quiet, "workers").values())
    complete(production, troubled)
    complete(production, quiet)
    nothing_left(production)
    assert locked.seen > 20 and locked.refused == 0
    assert production.holders(KEY) == ["keys/canary.key"]


def test_everything_of_the_app_is_restarted_under_one_run(production: Production) -> None:
    """Web, celery, Redis and PostgreSQL, one after the other; then the launcher is killed and finds its stack; then a service of the team dies."""
    slug = production.launch(
        name="Restarted", task="rill", workers=4, duration_s=150, checkpoint_s=30, ends_early=False
    )
    production.until(slug, lambda told: told["phase"] == "running", 150)
    orphan = production.orphan()
    for service in ("web", "celery", "redis", "postgres"):
        production.compose("restart", "--timeout", "5", service)
        time.sleep(3)
    before = [production.container(slug, name) for name in ("w0001", "w0002", "w0003", "w0004", "forge", "gateway")]
    production.compose("kill", "launcher")
    production.compose("start", "launcher")

    docker("kill", production.container(slug, "board"))  # the engine leaves alone what its own command killed
    chat = docker("inspect", "--format", "{{.State.Pid}}", production.container(slug, "chat"))
    os.kill(int(chat), signal.SIGKILL)
    for service in ("board", "chat"):
        down = production.heard(slug, "service.exited", 60, service=service)
        assert "log_tail" in down["fields"]
    for service in ("board", "chat"):
        production.until(slug, lambda _, name=service: len(_starts(production, slug, name)) == 2, 60)
    # The State follows what was heard a moment later.
    production.until(slug, lambda _: _restarts(production, slug) == {"board": 1, "chat": 1}, 60)

    # What no run needs is removed within the minute.
    production.until(slug, lambda _: not docker("ps", "-aq", "--filter", f"id={orphan}"), 60)
    production.end_early(slug)
    production.wait(slug, "ended", 300)
    workers = production.table(slug, "workers")
    assert len(before) == 6 and all(row["life"] == 1 for row in workers.values()), "they went on under the same life"
    complete(production, slug)
    nothing_left(production)


def _starts(production: Production, slug: str, service: str) -> list[dict[str, Any]]:
    return [each for each in production.events(slug, "service.started") if each["fields"]["service"] == service]


def _restarts(production: Production, slug: str) -> dict[str, int]:
    rows = production.table(slug, "services")
    return {name: rows[name]["restarts"] for name in ("board", "chat")}

"""Teams on a real Docker Engine: nothing is lost, nothing is doubled, nothing is left. Forge, chat and model are stand-ins."""

from __future__ import annotations

import json
import time

import pytest

from tests.docker.stack.engine import docker
from tests.docker.stack.production import Production

pytestmark = pytest.mark.docker


def complete(production: Production, slug: str) -> None:
    ledger = production.ledger(slug)
    assert {"board", "gitea", "mattermost", "gateway", "acp", "run"} <= set(ledger)
    for source, row in ledger.items():
        assert (row["lost"], row["doubled"]) == (0, 0), (source, row)
    assert production.left_over() == []


def test_a_team_of_eight_containers_runs_to_its_end(production: Production) -> None:
    slug = production.launch()
    told = production.wait(slug, "ended", 420)
    workers = production.table(slug, "workers")
    assert len(workers) == 8 and all(row["steps"] > 0 for row in workers.values())
    assert any(row["status"] == "merged" for row in production.table(slug, "pulls").values())
    assert told["provenance"]["salvaged"]["fetched"] is True
    complete(production, slug)


def test_workers_reach_their_team_and_nothing_else(production: Production) -> None:
    slug = production.launch(duration=130)
    production.wait(slug, "running", 120)
    worker = _container(production, slug, "w0001")
    told = json.loads(docker("inspect", worker))[0]
    assert told["HostConfig"]["Privileged"] is False and told["HostConfig"]["CapDrop"] == ["ALL"]
    assert told["HostConfig"]["ReadonlyRootfs"] is True
    assert "secret" not in json.dumps(told["Config"]["Env"]).lower()
    code = "import socket; socket.setdefaulttimeout(3); socket.create_connection(('{}', {}))"
    inside = ["exec", worker, "/opt/agensh/venv/bin/python", "-c"]
    docker(*inside, code.format(f"{_project(told)}-board", 8000))
    for host, port in (("web", 8000), ("postgres", 5432), ("redis", 6379), ("192.0.2.1", 80)):
        with pytest.raises(AssertionError):
            docker(*inside, code.format(host, port))
    production.wait(slug, "ended", 300)
    complete(production, slug)


@pytest.mark.parametrize("wanted", ["starting", "running"])
def test_a_cancel_leaves_nothing_within_fifteen_seconds(production: Production, wanted: str) -> None:
    slug = production.launch()
    production.wait(slug, wanted, 120)
    production.manage("shell", "--no-imports", "-c", _cancel(slug))
    began = time.monotonic()
    production.wait(slug, "cancelled", 60)
    took = time.monotonic() - began
    assert production.left_over() == []
    assert took < 25, f"{took:.1f} s"  # fifteen, and what looking takes here


def test_a_launcher_that_is_killed_finds_its_stack_again(production: Production) -> None:
    slug = production.launch(duration=150)
    production.wait(slug, "running", 120)
    time.sleep(15)
    before = set(docker("ps", "-q", "--filter", "label=agensh.run").split())
    production.compose("kill", "launcher")
    production.compose("start", "launcher")
    production.wait(slug, "ended", 330)
    assert before
    workers = production.table(slug, "workers")
    assert all(row["life"] == 1 for row in workers.values()), "they went on under the same life"
    complete(production, slug)


def _cancel(slug: str) -> str:
    return f"from runs.models import Run; Run.objects.get(slug={slug!r}).request_cancel()"


def _container(production: Production, slug: str, name: str) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := docker("ps", "-q", "--filter", f"label=agensh.program={name}").split():
            return found[0]
        time.sleep(1)
    raise AssertionError(f"no container of {name}")


def _project(told: dict[str, dict[str, dict[str, str]]]) -> str:
    return told["Config"]["Labels"]["com.docker.compose.project"]

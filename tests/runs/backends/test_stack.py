"""A run's stack: rendered the same from the same plan, and refused if what Compose makes of it asks for more than it may."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from runs.backends.compose.allowed import faults
from runs.backends.compose.stack import Program, Stack, program_of, project_name, render

GOLDEN = Path(__file__).parent / "stacks"
RUN = "/var/lib/agensh/runs/demo-1"
PYTHON = "/opt/agensh/venv/bin/python"
IMAGES = {"agensh/team:latest", "agensh/worker:latest", "agensh/standins:latest"}


def service(name: str, image: str = "agensh/team:latest", *reads: str) -> Program:
    place = f"{RUN}/services/{name}"
    return Program(name, image, (PYTHON, "-m", name, "--config", f"{place}/config.json"), place, reads)


def worker(n: int) -> Program:
    place = f"{RUN}/workers/w{n:04d}"
    argv = (PYTHON, "-m", "worker", "--config", f"{place}/worker.json")
    reads = (f"{RUN}/task", f"{RUN}/secrets/w{n:04d}.forge")
    return Program(f"w{n:04d}", "agensh/worker:latest", argv, place, reads, 64 << 30, 2, {"HOME": f"{place}/home"})


TEAM = Stack("a1b2c3", 17, (service("board"), service("gateway"), worker(1)))


def test_the_stack_of_a_plan_is_the_one_that_was_looked_at() -> None:
    """After a change that is meant: look at the difference, then write the file anew from `render`."""
    assert render(TEAM) == json.loads((GOLDEN / "team.json").read_text())


def test_a_worker_sees_the_teams_network_and_nothing_else() -> None:
    document = render(TEAM)
    assert document["services"]["w0001"]["networks"] == {"team": {}}
    assert document["networks"]["team"]["internal"] is True
    assert "ports" not in document["services"]["board"]
    out = [name for name, told in document["services"].items() if "out" in told["networks"]]
    assert out == ["gateway"]


def test_a_database_comes_up_before_the_services_that_need_it_and_workers_wait_for_nobody() -> None:
    check = ("pg_isready",)
    database = dataclasses.replace(service("teamdb"), user="10002:10002", healthcheck=check, first=True)
    forge = dataclasses.replace(
        service("forge"),
        tmpfs=("/run:size=16m",),
        writes=(f"{RUN}/services/data",),
        targets={f"{RUN}/services/data": "/data"},
    )
    document = render(Stack("a1b2c3", 17, (database, forge, worker(1))))["services"]
    assert document["teamdb"]["healthcheck"]["test"] == ["CMD", "pg_isready"]
    assert document["teamdb"]["user"] == "10002:10002"
    assert document["forge"]["depends_on"] == {"teamdb": {"condition": "service_healthy"}}
    assert {bind["target"]: bind["read_only"] for bind in document["forge"]["volumes"]} == {
        f"{RUN}/services/forge": False,
        "/data": False,
    }
    assert set(document["teamdb"]["networks"]) == {"apps"}, "no worker meets the database"
    assert "depends_on" not in document["teamdb"] and "depends_on" not in document["w0001"]
    told = json.loads(json.dumps(dataclasses.asdict(forge)))
    assert program_of(told) == forge, "a plan and a command tell it in JSON"


@pytest.mark.parametrize("text", ["$HOME", "a\nb", "a\0b", "${SECRET}"])
def test_text_that_compose_would_read_otherwise_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a meaning of its own"):
        render(Stack("a1b2c3", 1, (Program("board", "agensh/team:latest", (text,), RUN + "/services/board"),)))


def test_two_installations_on_one_engine_have_names_and_networks_of_their_own() -> None:
    assert project_name("a1b2c3", 17) != project_name("d4e5f6", 17)
    document = render(dataclasses.replace(TEAM, network="other_apps"))
    assert document["networks"]["apps"] == {"external": True, "name": "other_apps"}
    document["networks"]["apps"]["ipam"] = {}
    assert faults(document, RUN, IMAGES, "other_apps") == []
    assert faults(document, RUN, IMAGES) == ["networks.apps: must be agensh_apps, which the app's own stack made"]


@pytest.fixture
def resolved() -> dict[str, Any]:
    """What Compose makes of the golden stack, as far as it matters: long forms, defaults left out."""
    document = copy.deepcopy(render(TEAM))
    document["networks"]["apps"] = {"name": "agensh_apps", "external": True, "ipam": {}}
    return document


def test_what_we_render_is_allowed(resolved: dict[str, Any]) -> None:
    assert faults(resolved, RUN, IMAGES) == []


@pytest.mark.parametrize(
    ("where", "value", "word"),
    [
        ("services.board.privileged", True, "privileged"),
        ("services.board.cap_add", ["SYS_ADMIN"], "cap_add"),
        ("services.board.cap_drop", [], "cap_drop"),
        ("services.board.devices", ["/dev/kvm"], "devices"),
        ("services.board.network_mode", "host", "network_mode"),
        ("services.board.pid", "host", "pid"),
        ("services.board.ipc", "host", "ipc"),
        ("services.board.userns_mode", "host", "userns_mode"),
        ("services.board.ports", [{"target": 8000}], "ports"),
        ("services.board.security_opt", ["seccomp:unconfined"], "security_opt"),
        ("services.board.user", "0:0", "user"),
        ("services.board.read_only", False, "read_only"),
        ("services.board.image", "somebody/else:latest", "image"),
        ("services.board.deploy", {}, "memory"),
        ("services.board.volumes", [{"type": "bind", "source": "/", "target": "/host"}], "not inside the run folder"),
        ("services.board.volumes", [{"type": "bind", "source": f"{RUN}/../other", "target": "/x"}], "not inside"),
        ("services.board.volumes", [{"type": "bind", "source": "/var/run/docker.sock", "target": "/s"}], "not inside"),
        ("services.board.volumes", [{"type": "bind", "source": f"{RUN}/a.sock", "target": "/s"}], "socket"),
        ("services.board.volumes", [{"type": "volume", "source": "v", "target": "/v"}], "not inside"),
        (
            "services.board.volumes",
            [{"type": "bind", "source": "/var/lib/agensh/keys/openai.key", "target": "/k", "read_only": True}],
            "not inside",
        ),
        ("services.gateway.volumes", [{"type": "bind", "source": "/var/lib/agensh/keys/openai.key"}], "read-only"),
        ("services.gateway.volumes", [{"type": "bind", "source": "/var/lib/agensh/keys/secret_key"}], "not inside"),
        ("services.w0001.networks", {"team": {}, "apps": {}}, "apps is not for it"),
        ("services.w0001.networks", {}, "default is not for it"),
        ("services.board.networks", {"out": {}}, "only the gateway"),
        ("networks.team.internal", False, "must be internal"),
        ("networks.host", {"external": True}, "networks.host"),
        ("networks.apps.name", "host", "must be agensh_apps"),
        ("networks.apps.external", False, "which the app's own stack made"),
        ("volumes", {"v": {}}, "volumes"),
        ("name", "Agensh/1", "name"),
    ],
)
def test_what_asks_for_more_is_refused_by_name(resolved: dict[str, Any], where: str, value: Any, word: str) -> None:
    *path, last = where.split(".")
    place = resolved
    for step in path:
        place = place[step]
    place[last] = value
    found = faults(resolved, RUN, IMAGES)
    assert found and word in "; ".join(found)


def test_the_key_of_a_model_is_for_the_gateway_alone_and_read_only(resolved: dict[str, Any]) -> None:
    key = {"type": "bind", "source": "/var/lib/agensh/keys/openai.key", "target": "/k", "read_only": True}
    resolved["services"]["gateway"]["volumes"].append(key)
    assert faults(resolved, RUN, IMAGES) == []

"""Preflight of a stack: every failing row names what is missing and what mends it, without touching the engine."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from runs import preflight
from runs.backends.compose import images, readiness
from runs.backends.files import write_json

APP = "http://web:8000"
GOOD: dict[str, Any] = {
    "error": "",
    "version": "27.1",
    "compose": "2.29.1",
    "cgroup": "2",
    "driver": "systemd",
    "memory_limit": True,
    "pids_limit": True,
    "cpu_quota": True,
    "memory_free": 32 << 30,
    "network": True,
    "disk_free": 40 << 30,
    "clock_off_s": 0.0,
    "networks": 4,
    "networks_most": 31,
    "images": {name: {"id": "sha256:1", "standin": False, "clis": []} for name in images.every()},
}


def rows(data: Path, app: str = APP, **changed: Any) -> dict[str, readiness.Row]:
    write_json(data / readiness.FILE, {**GOOD, "at": time.time(), **changed})
    return {row[0]: row for row in readiness.rows(data, {"mini": 8}, app, time.time())}


def test_a_fit_host_has_no_failing_row(tmp_path: Path) -> None:
    found = rows(tmp_path)
    assert all(fit for _, fit, _, _ in found.values()), found


@pytest.mark.parametrize(
    ("changed", "name", "fix"),
    [
        ({"error": "Docker Engine does not answer"}, "engine", "start Docker Engine"),
        ({"at": 0}, "launcher", "start the launcher"),
        ({"compose": "2.3.0"}, "compose", "2.20"),
        ({"memory_limit": False}, "limits", "cgroup_enable=memory"),
        ({"network": False}, "network", "docker compose up"),
        ({"images": {}}, "images", "make images"),
        ({"memory_free": 1 << 30}, "memory", "fewer workers"),
        ({"disk_free": 1 << 30}, "engine's disk", "prune"),
        ({"clock_off_s": -3600.0}, "clock", "NTP"),
        ({"networks": 30}, "networks", "default-address-pools"),
    ],
)
def test_what_is_missing_is_named_with_what_mends_it(
    tmp_path: Path, changed: dict[str, Any], name: str, fix: str
) -> None:
    _, fit, text, told = rows(tmp_path, **changed)[name]
    assert (fit, bool(text)) == (False, True)
    assert fix in told


def test_the_old_cgroup_version_is_said_and_stops_nobody(tmp_path: Path) -> None:
    _, fit, text, _ = rows(tmp_path, cgroup="1", driver="cgroupfs")["cgroup"]
    assert fit and "version 2 is the better kept one" in text


def test_an_app_that_containers_cannot_reach_is_said_first(tmp_path: Path) -> None:
    assert list(rows(tmp_path, app="")) == ["app address"]


def test_a_launcher_that_never_reported_is_said(tmp_path: Path) -> None:
    found = readiness.rows(tmp_path, {"mini": 1}, APP, time.time())
    assert [name for name, *_ in found] == ["launcher"]


def test_a_cli_that_the_worker_image_lacks_is_named(tmp_path: Path) -> None:
    write_json(tmp_path / readiness.FILE, {**GOOD, "at": time.time()})
    found = {row[0]: row for row in readiness.rows(tmp_path, {"mini": 4, "codex": 2}, APP, time.time())}
    assert found["agent CLIs"][1:3] == (False, "agensh/worker:latest holds no codex")


def test_real_clis_are_counted_with_what_they_take(tmp_path: Path) -> None:
    write_json(tmp_path / readiness.FILE, {**GOOD, "at": time.time(), "memory_free": 3 << 30})
    fit = {
        name: next(row[1] for row in readiness.rows(tmp_path, {name: 8}, APP, time.time()) if row[0] == "memory")
        for name in ("mini", "copilot")
    }
    assert fit == {"mini": True, "copilot": False}


def test_the_database_of_real_services_is_not_asked_for_beside_stand_ins(tmp_path: Path) -> None:
    known = {
        name: {"id": "sha256:1", "standin": True, "clis": []} for name in images.every() if name != images.of("teamdb")
    }
    _, fit, text, _ = rows(tmp_path, images=known)["images"]
    assert fit and "forge and chat are stand-ins" in text
    _, fit, text, _ = rows(tmp_path, images={name: {**told, "standin": False} for name, told in known.items()})[
        "images"
    ]
    assert not fit and images.of("teamdb") in text


def test_in_the_production_stack_doctor_says_what_a_stack_needs_and_nothing_of_this_machine(
    tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR, settings.APP_URL = tmp_path, "http://127.0.0.1:1"
    write_json(tmp_path / readiness.FILE, {**GOOD, "at": time.time()})
    rows_ = {row.name: row for row in preflight.installation()}
    assert {"engine", "compose", "cgroup", "limits", "images", "memory", "engine's disk", "networks", "clock"} <= set(
        rows_
    )
    assert not {"copilot", "sandbox"} & set(rows_)
    assert (rows_["app"].ok, rows_["app"].text) == (False, "http://127.0.0.1:1 does not answer")
    write_json(tmp_path / readiness.FILE, {**GOOD, "at": time.time(), "cgroup": "1"})
    old = next(row for row in preflight.installation() if row.name == "cgroup")
    assert old.ok and "systemd.unified_cgroup_hierarchy" in old.fix

"""Agent CLIs on this machine: what is missing is said with the command that mends it, and who runs without a sandbox is said to."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from runs import clis, figures, isolation, preflight
from runs.harnesses import package
from runs.isolation import NONE, OURS, SANDBOX
from runs.presets import PRESETS
from runs.spec import RunSpec

MIXED = replace(PRESETS["mixed"].spec, task="rill")
OTHER_MODEL = replace(MIXED, model="qwen3", harnesses=(("mini", 8),))


@pytest.fixture
def empty(settings: Any, tmp_path: Path) -> Path:
    """A machine on which nothing was installed."""
    settings.CLIS_DIR = tmp_path / "clis"
    return tmp_path / "clis"


@pytest.fixture
def unfit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which no namespace can be made."""
    for module in (isolation, preflight):
        monkeypatch.setattr(module, "sandbox_fault", lambda: "no new process namespace: Operation not permitted")


def rows(spec: RunSpec) -> dict[str, preflight.Check]:
    return {row.name: row for row in preflight.check(spec)}


def install(name: str, version: str) -> None:
    """What npm leaves behind, as far as it is looked at."""
    found = package(name)
    assert found is not None
    place = clis.folder() / "node_modules"
    (place / found.name).mkdir(parents=True)
    (place / found.name / "package.json").write_text(json.dumps({"version": version}))
    program = Path(found.argv(str(clis.folder()), clis.node_platform())[-1])
    program.parent.mkdir(parents=True, exist_ok=True)
    program.touch()


@pytest.mark.django_db
def test_a_mixed_team_is_refused_with_what_is_missing_and_the_command_that_brings_it(empty: Path) -> None:
    found = rows(MIXED)
    for name in ("copilot", "claude", "codex"):
        assert not found[name].ok
        assert "is not installed" in found[name].text
        assert "make clis" in found[name].fix
    assert "mini" not in found
    assert not any(name in rows(replace(PRESETS["demo"].spec, task="rill")) for name in ("copilot", "claude", "codex"))


@pytest.mark.django_db
def test_doctor_notes_a_missing_cli_and_is_content(empty: Path) -> None:
    said = StringIO()
    call_command("doctor", stdout=said)
    notes = [line for line in said.getvalue().splitlines() if line.startswith("note ")]
    assert [line.split()[1] for line in notes if "make clis" in line] == ["copilot:", "claude:", "codex:"]


def test_another_version_than_the_pinned_one_is_no_installation(empty: Path) -> None:
    install("copilot", "1.0.102")
    assert clis.fault("copilot") == ""
    install("codex", "9.9.9")
    assert "2.6.0 is needed" in clis.fault("codex")
    assert clis.fault("mini") == ""


def test_an_older_node_is_named(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("claude", "0.49.0")
    monkeypatch.setattr(clis, "node_version", lambda: 18)
    assert clis.fault("claude") == "claude needs Node 20 or newer; this is Node 18"
    monkeypatch.setattr(clis, "node_version", lambda: 0)
    assert "node is not found" in clis.fault("claude")


def test_without_npm_the_command_says_how_to_get_it(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(empty))
    with pytest.raises(CommandError, match="apt-get install nodejs npm"):
        call_command("install_clis")


@pytest.mark.django_db
def test_agents_go_into_the_sandbox_where_one_can_be_made() -> None:
    assert isolation.isolation(MIXED) == {"copilot": SANDBOX, "claude": SANDBOX, "codex": SANDBOX, "mini": OURS}
    assert rows(MIXED)["isolation"].ok
    assert isolation.isolation(replace(MIXED, backend="swarm"))["copilot"] == "container"


@pytest.mark.django_db
def test_what_a_model_makes_our_own_agent_run_is_not_ours_so_it_goes_into_the_sandbox_too() -> None:
    assert isolation.isolation(OTHER_MODEL) == {"mini": SANDBOX}
    assert rows(OTHER_MODEL)["isolation"].text == "mini: sandbox"


@pytest.mark.django_db
def test_our_own_agent_on_another_model_is_launched_all_the_same_where_none_can_be_made_and_said_to(
    unfit: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENSH_ALLOW_UNSANDBOXED", raising=False)
    assert isolation.isolation(OTHER_MODEL) == {"mini": NONE}
    assert rows(OTHER_MODEL)["isolation"].ok
    assert (
        rows(OTHER_MODEL)["isolation"].text == "mini: not isolated; no new process namespace: Operation not permitted"
    )


def test_the_scripted_team_of_our_own_agents_asks_for_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def tried() -> str:
        raise AssertionError("the demo needs no root and no namespaces")

    monkeypatch.setattr(isolation, "sandbox_fault", tried)
    assert isolation.isolation(PRESETS["demo"].spec) == {"mini": OURS}


@pytest.mark.django_db
def test_where_none_can_be_made_a_launch_is_refused_until_the_machines_owner_allows_it(
    unfit: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENSH_ALLOW_UNSANDBOXED", raising=False)
    row = rows(MIXED)["isolation"]
    assert not row.ok
    assert "Operation not permitted" in row.text
    assert "AGENSH_ALLOW_UNSANDBOXED=1" in row.fix
    monkeypatch.setenv("AGENSH_ALLOW_UNSANDBOXED", "1")
    assert rows(MIXED)["isolation"].ok
    assert "not isolated" in rows(MIXED)["isolation"].text
    assert rows(replace(PRESETS["demo"].spec, task="rill"))["isolation"].ok


def test_pages_say_so_where_an_agent_ran_without_a_sandbox(unfit: None) -> None:
    def tags(kept: dict[str, str]) -> list[str]:
        run = SimpleNamespace(origin="recorded", scripted=False, endpoints={}, spec={}, provenance={"isolation": kept})
        return figures.origin_tags(run)

    assert tags(isolation.isolation(MIXED)) == ["not isolated"]
    assert tags({"copilot": SANDBOX, "mini": OURS}) == []

"""Each harness maps a worker's settings to the CLI's own. Pure: nothing is started."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runs.harnesses import HARNESSES, TRUSTED, harness, package
from runs.spec import WorkerSpec

WORKER = WorkerSpec(
    n=3,
    name="w0003",
    harness="",
    model="gpt-5.6-sol",
    model_url="http://127.0.0.1:9000/v1",
    effort="xhigh",
    input_tokens=272_000,
    output_tokens=128_000,
    memory_bytes=0,
    joins_at=0,
    cli="/clis",
)
CLIS = [name for name in HARNESSES if name not in TRUSTED]


@pytest.mark.parametrize("name", HARNESSES)
def test_a_command_is_the_same_for_the_same_worker_and_holds_no_token(name: str) -> None:
    command = harness(name).command(replace(WORKER, harness=name))
    assert command == harness(name).command(replace(WORKER, harness=name))
    text = json.dumps([command.argv, dict(command.env)])
    assert "http://127.0.0.1:9000" in text
    assert "gpt-5.6-sol" in text
    assert "xhigh" in text
    assert "272000" in text
    assert "{token.model}" in text


@pytest.mark.parametrize("name", CLIS)
def test_a_cli_of_npm_is_pinned_by_the_lock_file(name: str) -> None:
    from runs.clis import PINNED

    pinned = package(name)
    assert pinned is not None
    lock = json.loads((PINNED / "package-lock.json").read_text())["packages"]
    assert lock[f"node_modules/{pinned.name}"]["version"] == pinned.version
    assert not any("resolved" in entry for entry in lock.values())
    assert all(entry.get("integrity") for path, entry in lock.items() if path)


def test_copilot_asks_gpt_5_over_responses_and_everything_else_over_chat_completions() -> None:
    wires = {
        model: harness("copilot").wire_api(model) for model in ("gpt-5.6-sol", "openai/gpt-5.4", "qwen3", "scripted")
    }
    assert wires == {
        "gpt-5.6-sol": "responses",
        "openai/gpt-5.4": "responses",
        "qwen3": "completions",
        "scripted": "completions",
    }


def test_copilot_is_never_refused_a_permission_in_the_middle_of_a_turn() -> None:
    assert "--allow-all" in harness("copilot").command(WORKER).argv
    assert "--allow-all" not in harness("copilot").command(replace(WORKER, permissions="record")).argv


def test_claude_gets_the_address_without_its_version_and_a_window_that_holds_the_limit() -> None:
    env = harness("claude").command(replace(WORKER, model="claude-opus-4-8")).env
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9000"
    assert env["ANTHROPIC_MODEL"] == "claude-opus-4-8[1m]"
    assert env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "128000"
    small = harness("claude").command(replace(WORKER, model="claude-opus-4-8", input_tokens=150_000))
    assert small.env["ANTHROPIC_MODEL"] == "claude-opus-4-8"
    assert harness("claude").command(WORKER).env["ANTHROPIC_MODEL"] == "gpt-5.6-sol"
    assert harness("claude").command(WORKER).session_mode == "bypassPermissions"
    assert harness("claude").command(replace(WORKER, permissions="record")).session_mode == "default"


def test_codex_is_told_everything_as_one_configuration() -> None:
    config = json.loads(harness("codex").command(WORKER).env["CODEX_CONFIG"])
    assert config["model_context_window"] == 272_000
    assert config["model_auto_compact_token_limit"] < 272_000
    provider = config["model_providers"][config["model_provider"]]
    assert (provider["wire_api"], provider["base_url"]) == ("responses", "http://127.0.0.1:9000/v1")
    assert harness("codex").command(WORKER).env[provider["env_key"]] == "{token.model}"
    asking = json.loads(harness("codex").command(replace(WORKER, permissions="record")).env["CODEX_CONFIG"])
    assert (config["approval_policy"], asking["approval_policy"]) == ("never", "on-request")


def test_an_unknown_harness_is_refused_with_the_names_of_the_known() -> None:
    with pytest.raises(KeyError, match="mini, copilot, claude, codex"):
        harness("cursor")

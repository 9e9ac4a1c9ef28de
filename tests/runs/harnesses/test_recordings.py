"""Where the agents differ, each difference from a recording of the real CLI."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runs.harnesses.recordings import answer, events, last_words, lines, messages, of
from worker.endings import answered, refused
from worker.heard import Heard

SHELLS = ["copilot-chat-shell", "claude-0.49.0-shell", "codex-acp-2.6.0-shell"]


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_step_is_called_shell_and_has_its_exit_code(name: str) -> None:
    assert [step["tool"] for step in of(name, "step.started")] == ["shell", "shell"]
    assert [end["exit_code"] for end in of(name, "step.finished")] == [0, 0]


@pytest.mark.parametrize("name", ["copilot-mcp-stdio-via-flag", "claude-0.49.0-mcp-stdio", "codex-acp-2.6.0-mcp-stdio"])
def test_a_tool_of_the_team_has_its_plain_name(name: str) -> None:
    assert [step["tool"] for step in of(name, "step.started")] == ["send_message"]
    assert [end["status"] for end in of(name, "step.finished")] == ["completed"]


@pytest.mark.parametrize(
    ("name", "scope", "given", "cached"),
    [
        ("copilot-chat-shell", "session", 31_320, 15_659),  # cached counted in
        ("claude-0.49.0-shell", "prompt", 30_182 + 30_179, 30_179),  # cached beside
        ("codex-acp-2.6.0-shell", "prompt", 16_695 + 16_693, 16_693),
    ],
)
def test_input_tokens_include_the_cached_ones_whoever_counts(name: str, scope: str, given: int, cached: int) -> None:
    usage = next(u for u in of(name, "usage.reported") if u["input_tokens"] is not None)
    assert (usage["scope"], usage["input_tokens"], usage["cached_tokens"]) == (scope, given, cached)


def test_copilot_says_a_sessions_total_so_far_with_each_prompt() -> None:
    first, second = of("copilot-two-prompts", "usage.reported")
    assert first["scope"] == second["scope"] == "session"
    assert second["output_tokens"] == 2 * first["output_tokens"]  # the same prompt twice: the second figure holds both


def test_claude_says_its_own_cost_so_far_and_the_others_none() -> None:
    costs = {name: [u["cost_microusd"] for u in of(name, "usage.reported")] for name in SHELLS}
    assert costs["claude-0.49.0-shell"] == [168_250, None]
    assert costs["copilot-chat-shell"] == costs["codex-acp-2.6.0-shell"] == [None]
    assert [u["scope"] for u in of("claude-0.49.0-shell", "usage.reported")] == ["session", "prompt"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("copilot-provider-401", "Error: Authentication failed"),
        ("codex-acp-2.6.0-provider-429", "exceeded retry limit, last status: 429"),
        ("codex-acp-2.6.0-provider-500", "high demand"),
    ],
)
def test_a_turn_that_failed_though_it_ends_as_end_turn_is_a_failed_turn(name: str, words: str) -> None:
    result = answer(name)["result"]
    assert result["stopReason"] == "end_turn"
    ending = answered(result, last_words(name))
    assert ending.error is not None
    assert words in ending.error


@pytest.mark.parametrize(
    ("name", "kind"),
    [("claude-0.49.0-error-429-maxretries1", "rate_limit"), ("codex-acp-2.6.0-provider-401", "-32000")],
)
def test_an_error_instead_of_an_answer_is_a_failed_turn_that_says_its_kind(name: str, kind: str) -> None:
    error: dict[str, Any] = answer(name)["error"]
    ending = refused(error["code"], error["message"], error.get("data"))
    assert ending.stop_reason is None
    assert str(ending.error).startswith(kind)


@pytest.mark.parametrize("name", [*SHELLS, "copilot-permission-rejected", "claude-0.49.0-mcp-stdio"])
def test_a_turn_that_ended_well_is_no_failed_turn(name: str) -> None:
    assert answered(answer(name)["result"], last_words(name)).error is None


def test_copilot_ends_the_turn_at_a_refused_permission() -> None:
    """So what a run forbids is denied by a flag beforehand, and what it allows is not asked for (`--allow-all`)."""
    kinds = [kind for kind, _ in events("copilot-permission-rejected") if kind != "text.written"]
    assert kinds == ["step.started", "permission.asked", "permission.answered", "step.finished", "usage.reported"]
    assert of("copilot-permission-rejected", "permission.answered")[0]["outcome"] == "reject_once"
    assert last_words("copilot-permission-rejected") == "Info: Operation cancelled by user"


def test_claude_goes_on_after_a_refused_permission() -> None:
    name = "claude-0.49.0-permission-rejected"
    assert [end["status"] for end in of(name, "step.finished")][:1] == ["failed"]
    assert len(of(name, "step.started")) >= 2


@pytest.mark.parametrize(
    ("name", "stopped"), [("copilot-permission-rejected", True), ("claude-0.49.0-permission-rejected", False)]
)
def test_a_turn_that_stopped_at_a_refused_permission_is_told_from_one_that_went_on(name: str, stopped: bool) -> None:
    """The loop goes on with the first kind: the agent is in the middle of its work."""
    heard, answers = Heard(), 0
    for line in lines(name):
        if line.get("dir") == "out" and "outcome" in line["msg"].get("result", {}):
            answers += 1
            heard.refused = heard.refused or answers == 1  # the recording of Claude Code ends at its second question
        elif line.get("dir") == "in":
            heard.take(line["msg"])
    assert answers
    assert answered(heard.result, heard.words, heard.refused).refused is stopped


def test_copilot_has_no_tool_of_a_server_on_stdio_in_a_new_session() -> None:
    """The recording got its server by a flag: the session itself was opened with none, since Copilot drops it silently."""
    (opened,) = [m for m in messages("copilot-mcp-stdio-via-flag", "out") if m.get("method") == "session/new"]
    assert opened["params"]["mcpServers"] == []
    assert of("copilot-mcp-stdio-via-flag", "step.started")


@pytest.mark.parametrize("name", ["copilot-edit-sql-subagent", "claude-0.49.0-edit-plan-subagent"])
def test_every_step_of_a_turn_with_a_sub_agent_is_ended(name: str) -> None:
    started = {step["step"] for step in of(name, "step.started")}
    assert started
    assert started == {end["step"] for end in of(name, "step.finished")}
    assert of(name, "plan.changed")


def test_a_cancelled_turn_of_copilot_says_what_it_spent() -> None:
    assert answer("copilot-cancel-during-shell")["result"]["stopReason"] == "cancelled"
    assert of("copilot-cancel-during-shell", "usage.reported")[0]["input_tokens"] == 10_344

"""Tokens and cost, as each harness counts them."""

from __future__ import annotations

import pytest

from tests.trajectories.sources.test_acp import ending, one, said, update


@pytest.mark.parametrize(
    ("harness", "usage", "scope", "input_tokens"),
    [
        # Copilot: input has the cached part, figures are the session's so far.
        (
            "copilot/1.0",
            {"inputTokens": 313, "outputTokens": 53, "totalTokens": 366, "cachedReadTokens": 156},
            "session",
            313,
        ),
        # Claude: cached reads and writes beside the input.
        (
            "claude/0.49",
            {
                "inputTokens": 301,
                "outputTokens": 90,
                "totalTokens": 641,
                "cachedReadTokens": 200,
                "cachedWriteTokens": 50,
            },
            "prompt",
            551,
        ),
        (
            "codex/2.6",
            {"inputTokens": 104, "outputTokens": 60, "totalTokens": 268, "cachedReadTokens": 104},
            "prompt",
            208,
        ),
        (
            "mini/1.0",
            {"inputTokens": 400, "outputTokens": 40, "totalTokens": 440, "cachedReadTokens": 160},
            "prompt",
            400,
        ),
        ("claude/0.49", {"inputTokens": 10, "outputTokens": 1, "cachedReadTokens": 90}, "prompt", 100),
        ("mini/1.0", {"inputTokens": 100, "outputTokens": 1, "cachedReadTokens": 90}, "prompt", 100),
    ],
)
def test_input_tokens_always_include_the_cached_ones(
    harness: str, usage: dict[str, int], scope: str, input_tokens: int
) -> None:
    fields = one(ending(**usage), harness=harness)
    assert (fields["scope"], fields["input_tokens"], fields["session"]) == (scope, input_tokens, 1)
    assert fields["output_tokens"] == usage["outputTokens"]
    assert fields["cached_tokens"] == usage["cachedReadTokens"] and fields["cost_microusd"] is None


def test_a_prompt_without_usage_reports_none() -> None:
    assert said({"id": 2, "result": {"stopReason": "end_turn"}}, {"id": 2, "error": {"code": -32603}}) == []


def test_how_full_the_context_is_is_no_usage_but_the_cost_of_a_session_is() -> None:
    assert said(update("usage_update", used=9441, size=272000)) == []
    fields = one(update("usage_update", used=1, size=2, cost={"amount": 0.1682495, "currency": "USD"}))
    assert (fields["scope"], fields["input_tokens"], fields["cost_microusd"]) == ("session", None, 168250)
    assert said(update("usage_update", cost={"amount": 1, "currency": "EUR"})) == []
    assert said(update("usage_update", cost={"amount": "NaN", "currency": "USD"})) == []

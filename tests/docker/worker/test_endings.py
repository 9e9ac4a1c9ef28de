"""How a turn ended is read from the wire alone, in every harness's own way of failing; permissions follow the policy."""

from __future__ import annotations

from typing import Any

import pytest

from worker.endings import Ending, answered, refused
from worker.heard import Heard
from worker.permissions import chosen

USAGE = {"totalTokens": 3, "inputTokens": 2, "outputTokens": 1}
COPILOT_401 = "Error: Authentication failed with provider at http://127.0.0.1:8399/v1 (HTTP 401)."
CODEX_NULL = {"quota": {"token_count": None, "model_usage": []}}


@pytest.mark.parametrize(
    ("result", "said", "ending"),
    [
        ({"stopReason": "end_turn", "usage": USAGE}, "Error: is what the program prints", Ending("end_turn")),
        ({"stopReason": "end_turn"}, COPILOT_401, Ending("end_turn", COPILOT_401)),
        ({"stopReason": "end_turn"}, "Info: Operation cancelled by user", Ending("end_turn")),
        (
            {"stopReason": "end_turn", "_meta": CODEX_NULL},
            "exceeded retry limit, last status: 429",
            Ending("end_turn", "exceeded retry limit, last status: 429"),
        ),
        ({"stopReason": "cancelled", "_meta": CODEX_NULL}, "", Ending("cancelled")),
        (
            {"stopReason": "end_turn"},
            "Error: 400 context_length_exceeded",
            Ending("end_turn", "Error: 400 context_length_exceeded", full=True),
        ),
        ({"stopReason": "bored", "usage": None}, "", Ending("bored")),
        ({}, "", Ending("none")),
        (None, "", Ending("none")),
        ({"stopReason": "end_turn", "_meta": ["odd"]}, "", Ending("end_turn")),
    ],
)
def test_an_answer_is_an_ending(result: Any, said: str, ending: Ending) -> None:
    assert answered(result, said) == ending


@pytest.mark.parametrize(
    ("code", "message", "data", "error", "full"),
    [
        (
            -32603,
            "Internal error: API Error: Request rejected (429)",
            {"errorKind": "rate_limit"},
            "rate_limit: ",
            False,
        ),
        (-32000, "Authentication required", None, "-32000: Authentication required", False),
        (-32603, "Prompt is too long", {"errorKind": "invalid_request"}, "invalid_request: Prompt is too long", True),
        (-32603, "x", {"errorKind": {"odd": 1}}, "-32603: x", False),
        (-32603, "x" * 9_000, "text", "-32603: xxx", False),
    ],
)
def test_an_error_is_an_ending_in_words(code: int, message: str, data: Any, error: str, full: bool) -> None:
    ending = refused(code, message, data)
    assert ending.error is not None and ending.error.startswith(error) and len(ending.error) <= 500
    assert (ending.full, ending.died, ending.stop_reason) == (full, False, None)


OPTIONS = [("reject_once", "no"), ("allow_once", "yes"), ("allow_always", "ever"), ("reject_always", "never")]


@pytest.mark.parametrize(
    ("policy", "options", "option"),
    [
        ("allow", OPTIONS, "ever"),
        ("allow_once", OPTIONS, "yes"),
        ("deny", OPTIONS, "no"),
        ("allow", OPTIONS[:1], None),
        ("allow", [("new_kind", "x"), ("allow_once", "yes")], "yes"),
        ("deny", [], None),
    ],
)
def test_a_permission_is_answered_by_the_policy(
    policy: str, options: list[tuple[str, str]], option: str | None
) -> None:
    assert chosen(policy, options) == option


def update(**fields: Any) -> dict[str, Any]:
    return {"method": "session/update", "params": {"sessionId": "s", "update": fields}}


def test_an_agent_is_not_silent_while_one_of_its_tools_runs() -> None:
    heard = Heard(at=0.0)
    assert heard.silent_s > 0
    heard.take(update(sessionUpdate="tool_call", toolCallId="a", status="pending"))
    heard.take(update(sessionUpdate="tool_call", toolCallId="b", status="completed"))
    heard.take(update(sessionUpdate="tool_call_update", toolCallId="a", status="in_progress"))
    assert heard.silent_s == 0.0 and heard.running == {"a"} and heard.steps == 2
    heard.take(update(sessionUpdate="tool_call_update", toolCallId="a", status="failed"))
    heard.at = 0.0
    assert heard.silent_s > 0


def test_only_the_last_words_count_and_an_error_starts_them_anew() -> None:
    heard = Heard()
    for text in ("Error: at first; ", "Retrying", "Error: for good"):
        heard.take(update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text}))
    heard.take(update(sessionUpdate="agent_message_chunk", content={"type": "image"}))
    heard.take({"params": "odd"})
    assert heard.words == "Error: for good"

"""Messages in the shapes the harnesses really send, written small by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.events import KINDS, Event, iso, millis
from trajectories.sources.acp import parse
from trajectories.sources.base import RawDelivery, Skipped

AT = millis("2026-11-29T09:00:00.000Z")


def item(n: int, dir: str, msg: Any, **more: Any) -> dict[str, Any]:
    return {"n": n, "at": iso(AT + n), "dir": dir, "session": 1, "turn": 2, "msg": msg, **more}


def batch(*items: Any, harness: str = "mini/1.0", skew_ms: int = 0) -> RawDelivery:
    body = {"worker": 17, "life": 2, "sent_at": iso(AT), "items": list(items)}
    return RawDelivery("17-2-1", 1, AT + 1, AT, body, {"X-Agensh-Harness": harness}, skew_ms)


def update(kind: str, /, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"update": {"sessionUpdate": kind, **fields}}}


def said(*messages: Any, dir: str = "from_agent", harness: str = "mini/1.0") -> list[tuple[str, dict[str, Any]]]:
    found = parse(batch(*(item(n, dir, message) for n, message in enumerate(messages, 1)), harness=harness))
    return [] if isinstance(found, Skipped) else [(event.kind, dict(event.fields)) for event in found]


def one(message: Any, **more: Any) -> dict[str, Any]:
    ((kind, fields),) = said(message, **more)
    assert set(fields) == set(KINDS[kind].fields)
    return fields


def test_an_event_names_its_item_and_has_its_items_time() -> None:
    chunk = update("agent_message_chunk", content={"type": "text", "text": "hello"})
    (event,) = parse(batch(item(1201, "from_agent", chunk), skew_ms=5))  # type: ignore[misc]
    assert event == Event(
        at=AT + 1201 + 5,
        source="acp",
        seq=1201,
        id="17-2-1201",
        part=0,
        kind="text.written",
        worker=17,
        fields={"turn": 2, "role": "answer", "chars": 5},
    )
    assert event.ref == "acp:17-2-1201"


def test_the_loops_own_items_are_taken_over_and_unknown_ones_are_not() -> None:
    assert one({"kind": "turn.started", "turn": 3, "trigger": "inbox"}, dir="loop") == {"turn": 3, "trigger": "inbox"}
    moved = {"kind": "inbox.moved", "feed": "board", "state": "shown", "from": 3, "upto": 5, "turn": 2, "via": "tool"}
    assert one(moved, dir="loop")["upto"] == 5
    assert said({"kind": "harness.failed", "error": "x"}, {"kind": "run.ended"}, {"kind": ["x"]}, dir="loop") == []


def test_a_turn_that_does_not_say_its_number_has_the_number_of_its_items_stamp() -> None:
    assert one({"kind": "turn.started", "trigger": "inbox"}, dir="loop")["turn"] == 2


def test_a_loop_item_counts_only_from_the_loop_and_a_step_only_from_the_agent() -> None:
    assert said({"kind": "turn.started", "turn": 3, "trigger": "inbox"}, dir="from_agent") == []
    assert said(update("tool_call", toolCallId="a", title="x"), dir="loop") == []
    assert said("a line of noise", dir="noise") == []


@pytest.mark.parametrize(
    ("harness", "call", "tool"),
    [
        ("mini", {"title": "ls", "kind": "execute", "_meta": {"mini": {"toolName": "shell"}}}, "shell"),
        ("claude", {"title": "Terminal", "kind": "execute", "_meta": {"claudeCode": {"toolName": "Bash"}}}, "shell"),
        ("claude", {"title": "x", "_meta": {"claudeCode": {"toolName": "mcp__team__board_read"}}}, "board_read"),
        ("copilot", {"title": "team-board_write", "kind": "other", "rawInput": {"text": "x"}}, "board_write"),
        ("copilot", {"title": "run: echo hello", "kind": "execute", "rawInput": {"command": "echo hello"}}, "shell"),
        ("copilot", {"title": "Viewing a.py", "kind": "read"}, "read"),
        (
            "codex",
            {"title": "mcp.team.x", "kind": "execute", "rawInput": {"server": "team", "tool": "repo_merge"}},
            "repo_merge",
        ),
        ("codex", {"title": "echo", "kind": "execute", "name": "exec_command"}, "shell"),
        ("codex", {"title": "Read file", "kind": "read", "name": "exec_command"}, "shell"),
        ("claude", {"title": None}, "other"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["by its name", "unknown agent"])
def test_the_tool_of_a_step_is_found_in_what_each_harness_sends(
    harness: str, call: dict[str, Any], tool: str, known: bool
) -> None:
    message = update("tool_call", toolCallId="call_0", status="pending", **call)
    fields = one(message, harness=f"{harness}/1.0" if known else "somebody/0.1")
    assert (fields["tool"], fields["step"], fields["turn"]) == (tool, "17-2-1-call_0", 2)


@pytest.mark.parametrize(
    ("harness", "end", "code"),
    [
        ("mini", {"rawOutput": {"exit_code": 3, "output": ""}}, 3),
        ("copilot", {"rawOutput": {"content": "x", "contents": [{"type": "shell_exit", "exitCode": 1}]}}, 1),
        ("copilot", {"rawOutput": {"content": "hello\n<shellId: 1 completed with exit code 0>"}}, 0),
        ("claude", {"rawOutput": "Exit code 2\nls: cannot access"}, 2),
        ("claude", {"rawOutput": "hello", "_meta": {"claudeCode": {"toolName": "Bash"}}}, 0),
        ("claude", {"rawOutput": "File created", "_meta": {"claudeCode": {"toolName": "Write"}}}, None),
        ("codex", {"_meta": {"terminal_exit": {"exit_code": 127, "signal": None}}}, 127),
        ("codex", {"rawOutput": {"exit_code": 0}}, 0),
        ("mini", {"rawOutput": "File created"}, None),
        ("mini", {}, None),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["by its name", "unknown agent"])
def test_an_exit_code_is_found_where_the_harness_says_it(
    harness: str, end: dict[str, Any], code: int | None, known: bool
) -> None:
    message = update("tool_call_update", toolCallId="a", status="completed", **end)
    fields = one(message, harness=f"{harness}/1.0" if known else "somebody/0.1")
    assert fields == {"step": "17-2-1-a", "status": "completed", "exit_code": code}


def test_a_step_that_begins_ended_is_two_events_of_one_item() -> None:
    found = parse(batch(item(4, "from_agent", update("tool_call", toolCallId="a", title="t", status="failed"))))
    assert [(event.kind, event.part, event.id) for event in found] == [  # type: ignore[union-attr]
        ("step.started", 0, "17-2-4"),
        ("step.finished", 1, "17-2-4"),
    ]


def test_progress_of_a_step_says_nothing() -> None:
    assert said(update("tool_call_update", toolCallId="a", status="in_progress"), update("tool_call_update")) == []


def test_empty_texts_say_nothing_and_a_cut_text_has_its_size() -> None:
    assert said(update("agent_message_chunk", content={"type": "text", "text": ""})) == []
    cut = {"$cut": {"head": "x", "bytes": 70_000, "sha256": "0" * 64}}
    thought = one(update("agent_thought_chunk", content={"type": "text", "text": cut}))
    assert (thought["role"], thought["chars"]) == ("thought", 70_000)


def test_plans_and_permissions() -> None:
    plan = one(update("plan", entries=[{"content": "Run", "status": "pending", "priority": "high", "more": 1}]))
    assert plan["entries"] == [{"content": "Run", "status": "pending", "priority": "high"}]
    ask = {"id": 0, "method": "session/request_permission", "params": {"toolCall": {"toolCallId": "a", "title": "ls"}}}
    assert one(ask) == {"step": "17-2-1-a", "title": "ls"}
    answer = {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}}
    assert one(answer, dir="to_agent") == {"step": None, "outcome": "allow_once"}


def ending(**usage: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn", "usage": usage}}


def test_an_update_nobody_knows_is_named_where_nothing_else_is_said() -> None:
    found = parse(batch(item(1, "from_agent", update("dream")), item(2, "from_agent", update("current_mode_update"))))
    assert found == Skipped("no item says anything we keep: update dream")


def test_a_batch_cut_another_way_gives_the_same_events() -> None:
    items = [item(n, "from_agent", update("tool_call", toolCallId=f"c{n}", title="t")) for n in range(1, 7)]
    whole = parse(batch(*items))
    parts = [event for part in (items[:2], items[2:5], items[5:]) for event in parse(batch(*part))]  # type: ignore[union-attr]
    assert whole == parts


@pytest.mark.parametrize(
    "body", [None, [], {}, {"worker": 0, "life": 1, "items": []}, {"worker": 1, "life": 1, "items": 3}]
)
def test_what_is_no_batch_is_skipped(body: Any) -> None:
    assert isinstance(parse(RawDelivery("x", 1, AT, AT, body)), Skipped)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
messages = st.one_of(
    json_values,
    st.fixed_dictionaries(
        {
            "method": st.sampled_from(["session/update", "session/request_permission", 3]),
            "params": st.one_of(
                json_values,
                st.fixed_dictionaries(
                    {
                        "update": st.dictionaries(
                            st.sampled_from(
                                [
                                    "sessionUpdate",
                                    "toolCallId",
                                    "title",
                                    "kind",
                                    "status",
                                    "content",
                                    "entries",
                                    "cost",
                                    "rawOutput",
                                    "rawInput",
                                    "_meta",
                                ]
                            ),
                            json_values
                            | st.sampled_from(
                                [
                                    "tool_call",
                                    "tool_call_update",
                                    "plan",
                                    "usage_update",
                                    "agent_message_chunk",
                                    "completed",
                                ]
                            ),
                        )
                    }
                ),
            ),
        }
    ),
    st.fixed_dictionaries(
        {"result": st.fixed_dictionaries({"stopReason": json_values, "usage": json_values, "outcome": json_values})}
    ),
)


@given(st.lists(st.tuples(st.sampled_from(["from_agent", "to_agent", "loop", "noise", "x"]), messages), max_size=6))
def test_no_message_breaks_a_batch(items: list[tuple[str, Any]]) -> None:
    found = parse(batch(*(item(n, dir, msg) for n, (dir, msg) in enumerate(items, 1)), None, {"n": 9, "at": "never"}))
    assert isinstance(found, (list, Skipped))

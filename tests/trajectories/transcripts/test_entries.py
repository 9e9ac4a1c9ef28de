"""What the real CLIs say becomes entries that show it: texts in one piece, edits as diffs, plans, permissions, sub-agents."""

from __future__ import annotations

import pytest

from tests.trajectories.transcripts.recordings import recorded, told
from trajectories.transcripts.entries import Entries
from trajectories.transcripts.items import Item


def test_chunks_of_one_message_are_one_text() -> None:
    rows = recorded("codex__shell")
    assert [row["text"] for row in told(rows, "answer")][-1] == "All done: x.txt says hello. "
    assert told(rows, "thought")[0]["text"].strip() == "I will write the file."


def test_terminal_text_and_exit_code_of_codex_stand_in_its_metadata() -> None:
    write, read = told(recorded("codex__shell"), "step")
    assert (write["tool"], write["exit"], write["args"]["command"]) == ("shell", 0, "echo hello > x.txt")
    assert read["parts"] == [{"type": "terminal", "text": "hello\n"}]


@pytest.mark.parametrize("name", ["claude__edit_plan_subagent", "copilot__edit_plan_subagent"])
def test_an_edit_is_a_diff_with_its_path(name: str) -> None:
    edits = [part for row in told(recorded(name), "step") for part in row["parts"] if part["type"] == "diff"]
    made, changed = edits[0], edits[1]
    assert made["path"] == "/home/agent/a.py"
    assert made["made"]
    assert (made["old"]["text"], made["new"]["text"]) == ("", "print(1)\n")
    assert (changed["old"]["text"], changed["new"]["text"]) == ("print(1)", "print(2)")


def test_claude_fills_a_calls_arguments_later_and_its_output_comes_without_the_fence() -> None:
    steps = told(recorded("claude__edit_plan_subagent"), "step")
    assert steps[0]["args"] == {"file_path": "/home/agent/a.py", "content": "print(1)\n"}
    read = next(row for row in steps if row["tool"] == "Read")
    assert read["parts"] == [{"type": "text", "text": "1\tprint(2)\n2\t"}]


def test_a_permission_stands_with_its_step_and_its_answer() -> None:
    step = told(recorded("claude__edit_plan_subagent"), "step")[0]
    assert step["permission"] == {
        "options": ["Always Allow all Write", "Allow", "Reject"],
        "answer": "allow",
        "after_ms": 1,
    }
    codex = told(recorded("codex__permission"), "step")[0]
    assert codex["permission"]["answer"] == "allow_once"
    assert codex["status"] == "completed"


def test_a_permission_request_does_not_rename_the_call_and_a_call_ends_the_text_before_it() -> None:
    rows = recorded("copilot__edit_plan_subagent")
    assert [row["title"] for row in told(rows, "step")[:2]] == ["Creating /home/agent/a.py", "Editing /home/agent/a.py"]
    assert told(rows, "step")[1]["args"]["old_str"] == "print(1)"
    assert [row["text"] for row in told(rows, "answer")[:3]] == ["Creating. ", "Info: /home/agent/a.py", "Editing. "]


def test_a_sub_agents_calls_are_its_own_though_their_ids_are_used_again() -> None:
    steps = told(recorded("copilot__edit_plan_subagent"), "step")
    mine, others = [row for row in steps if not row["agent"]], [row for row in steps if row["agent"]]
    assert [row["status"] for row in mine[:2]] == ["completed", "completed"]
    assert {row["status"] for row in others[:2]} == {"failed"}
    assert others[0]["parts"][-1] == {"type": "text", "text": "Tool 'create' does not exist."}
    assert all(row["took_ms"] is not None for row in steps)


def test_a_plan_has_its_entries() -> None:
    plan = told(recorded("claude__edit_plan_subagent"), "plan")[0]
    assert [(entry["content"], entry["status"]) for entry in plan["entries"]] == [
        ("Write tests", "in_progress"),
        ("Run", "pending"),
    ]
    assert told(recorded("copilot__edit_plan_subagent"), "plan")[0]["entries"] == []


def fold(*items: Item, last: int = 99, clip: int | None = None) -> list[dict[str, object]]:
    entries = Entries(1, 0, last, clip)
    for item in items:
        entries.take(item)
    return entries.finished()


def said(n: int, direction: str, **msg: object) -> Item:
    return Item(n, n * 1000, direction, 1, 1, msg)


def update(n: int, kind: str, /, **fields: object) -> Item:
    return said(n, "from_agent", method="session/update", params={"update": {"sessionUpdate": kind, **fields}})


def test_what_a_prompt_hands_over_is_shown_beside_its_words() -> None:
    text = 'You have new messages.\n\n{"inbox": [{"feed": "direct", "item": "p1", "from": "w0002", "text": "mine?", "at": "x"}]}'
    (row,) = fold(said(1, "to_agent", method="session/prompt", params={"prompt": [{"type": "text", "text": text}]}))
    assert row["text"] == "You have new messages."
    assert row["items"] == [{"feed": "direct", "item": "p1", "from": "w0002", "text": "mine?", "at": "x"}]


def test_a_step_that_ends_on_the_next_page_is_whole_and_nothing_else_of_that_page_comes_along() -> None:
    begun = update(1, "tool_call", toolCallId="a", title="ls", kind="execute")
    text = update(2, "agent_message_chunk", content={"type": "text", "text": "later"})
    ended = update(3, "tool_call_update", toolCallId="a", status="failed", rawOutput="no")
    (row,) = fold(begun, text, ended, last=1)
    assert (row["status"], row["failed"], row["took_ms"], row["upto"]) == ("failed", True, 2000, 3)


def test_an_error_of_the_agent_and_lines_that_are_no_message_are_shown() -> None:
    error = said(1, "from_agent", id=2, error={"code": -32603, "message": "no", "data": {"errorKind": "rate_limit"}})
    noise = [Item(n, 0, "noise", 1, 1, f"line {n}") for n in (2, 3)]
    first, second = fold(error, *noise)
    assert (first["kind"], first["what"], first["text"]) == ("error", "rate_limit", "no")
    assert (second["kind"], second["text"]) == ("noise", "line 2\nline 3")


def test_a_clis_own_log_is_there_to_be_opened_also_where_it_was_cut_out() -> None:
    mark = {"$cut": {"head": '{"type":"session.start"}', "bytes": 90_000, "sha256": "ab" * 32}}
    short, long = fold(
        said(1, "loop", kind="agent.logged", name="events.jsonl", text='{"type":"session.error"}'),
        said(2, "loop", kind="agent.logged", name="events.jsonl", text=mark),
    )
    assert (short["what"], short["text"]) == ("agent.logged", '{"type":"session.error"}')
    assert (long["text"], long["blob"]) == ('{"type":"session.start"}', {"sha256": "ab" * 32, "bytes": 90_000})


def test_what_a_loaded_session_tells_again_says_so() -> None:
    rows = fold(
        said(1, "to_agent", id=4, method="session/load"),
        update(2, "agent_message_chunk", content={"type": "text", "text": "old"}),
        said(3, "from_agent", id=4, result={}),
        update(4, "agent_message_chunk", content={"type": "text", "text": "new"}),
    )
    assert [(row.get("text"), row.get("again", False)) for row in rows[1:]] == [("old", True), ("new", False)]


@pytest.mark.parametrize("junk", [None, 7, [], {"method": "session/update"}, {"params": {"update": 3}}, {"error": 5}])
def test_junk_is_passed_over(junk: object) -> None:
    for direction in ("from_agent", "to_agent", "loop", "elsewhere"):
        assert all(row["kind"] in ("loop", "wire") for row in fold(Item(1, 0, direction, 0, 0, junk)))


def test_a_long_text_is_clipped_with_its_length_and_a_cut_one_names_its_blob() -> None:
    cut = {"$cut": {"head": "begin", "bytes": 5_000_000, "sha256": "ab" * 32}}
    begun = update(1, "tool_call", toolCallId="a", title="t", rawOutput="x" * 9000, status="completed")
    big = update(2, "tool_call", toolCallId="b", title="t", rawOutput=cut, status="completed")
    first, second = fold(begun, big, clip=100)
    assert first["parts"] == [{"type": "text", "text": "x" * 100, "chars": 9000}]
    assert second["parts"] == [{"type": "text", "text": "begin", "blob": {"sha256": "ab" * 32, "bytes": 5_000_000}}]

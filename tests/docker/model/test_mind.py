"""The script's decisions: pure, restartable, by local rules."""

from __future__ import annotations

import json
from typing import Any

from standins.model.draw import draw, pick
from standins.model.mind import Answer, Conversation, Exchange, decide
from standins.model.steps import read_result
from standins.model.task import Task
from tests.docker.model.requests import ARRIVED, BOARD, PROMPT, PULLS
from tests.docker.model.team import TASK, TOOLS

RILL = Task.read(TASK)


def answer(board: dict[str, Any] | str, pulls: dict[str, Any] | str, *more: tuple[str, str], seed: str = "1") -> Answer:
    """What the model does after it looked around and saw these."""
    seen = [("board_read", board), ("repo_pulls", pulls), ("shell", ARRIVED)]
    since = [Exchange(tool, text if isinstance(text, str) else json.dumps(text)) for tool, text in [*seen, *more]]
    return decide(seed, RILL, Conversation(PROMPT, tuple(since), TOOLS, False, 2 + len(since)))


def note(
    number: int, kind: str, worker: str, text: str, subtask: str, at: str = "2026-11-29T16:59:50Z"
) -> dict[str, Any]:
    return {
        "note": number,
        "type": kind,
        "worker": worker,
        "text": text,
        "delegation_id": subtask,
        "at": at,
        "detail": False,
    }


def pull(number: int, author: str, subtask: str, **more: Any) -> dict[str, Any]:
    row = {
        "number": number,
        "title": f"{subtask}: x",
        "author": author,
        "head": f"{author}/n1-{subtask}",
        "base": "main",
        "state": "open",
        "merged": False,
        "merged_by": None,
        "mergeable": True,
        "reviews": [],
        "requested": [],
        "opened_at": "2026-11-29T16:59:50Z",
    }
    return row | more


def review(reviewer: str, verdict: str, at: str = "2026-11-29T16:59:55Z", **more: Any) -> dict[str, Any]:
    return {"reviewer": reviewer, "verdict": verdict, "text": "t", "at": at, "dismissed": False, "stale": False} | more


def test_a_free_sub_task_is_claimed() -> None:
    call = answer(BOARD, PULLS).call
    assert call is not None
    assert (call.tool, call.arguments["type"]) == ("board_write", "CLAIM")
    assert len(call.arguments["text"]) <= 100


def test_the_same_conversation_gets_the_same_answer_and_another_seed_may_not() -> None:
    assert answer(BOARD, PULLS) == answer(BOARD, PULLS)
    chosen = {str(answer(BOARD, PULLS, seed=str(n)).call) for n in range(12)}
    assert len(chosen) > 1


def test_calls_that_a_harness_adds_do_not_disturb() -> None:
    added = [
        Exchange("report_intent", "ok"),
        Exchange("board_read", BOARD),
        Exchange("view", "x"),
        Exchange("repo_pulls", PULLS),
    ]
    found = decide("1", RILL, Conversation(PROMPT, tuple(added), TOOLS, False, 9))
    assert found.call is not None
    assert found.call.tool == "shell"


def test_what_a_peer_gave_up_is_taken_over_first() -> None:
    notes = [note(1, "CLAIM", "w0002", "num: x", "num"), note(2, "FAIL", "w0002", "num: giving up", "num")]
    call = answer({"notes": notes, "upto": 2}, PULLS).call
    assert call is not None
    assert call.arguments["delegation_id"] == "num"
    assert "Taking over num after w0002" in call.arguments["text"]


def test_a_review_that_was_asked_for_comes_before_a_new_claim() -> None:
    call = answer(BOARD, {"pulls": [pull(3, "w0002", "cut", requested=["w0007"])]}).call
    assert call is not None
    assert call.tool == "shell"
    assert "origin/w0002/n1-cut" in call.arguments["command"]


def test_an_approval_that_a_peer_contradicts_is_looked_at_again_and_withdrawn() -> None:
    given = [review("w0007", "approved"), review("w0003", "changes_requested")]
    pulls = {"pulls": [pull(3, "w0002", "cut", reviews=given)]}
    failed = json.dumps(
        {"exit_code": 0, "output": "differs: rill cut\n  wanted 'a'\n  got 'b'\npassed 5 of 6\n[exit 1]\n"}
    )
    look = answer(BOARD, pulls).call
    assert look is not None
    assert look.tool == "shell"
    call = answer(BOARD, pulls, ("shell", failed)).call
    assert call is not None
    assert (call.tool, call.arguments["verdict"]) == ("repo_review", "request_changes")
    assert "rill cut" in call.arguments["text"]


def test_the_loser_of_an_overlap_releases_by_direct_message() -> None:
    notes = [note(n, "CLAIM", worker, "cut: x", "cut") for n, worker in ((1, "w0007"), (2, "w0002"))]
    loses = draw("overlap", "cut", 1) < draw("overlap", "cut", 2)
    if not loses:
        notes = [{**row, "worker": {"w0007": "w0002", "w0002": "w0007"}[row["worker"]]} for row in notes]
    call = answer({"notes": notes, "upto": 2}, PULLS).call
    assert call is not None
    assert (call.tool, call.arguments["to"]) == ("chat_direct", "w0002")
    assert call.arguments["text"].lower().startswith("release n")


def test_an_objection_is_answered_once() -> None:
    mine = pull(3, "w0007", "cut", reviews=[review("w0003", "changes_requested")])
    call = answer(BOARD, {"pulls": [mine]}).call
    assert call is not None
    assert call.tool == "shell"
    again = answer(BOARD, {"pulls": [{**mine, "requested": ["w0003"]}]}).call
    assert again is not None
    assert again.tool == "board_write"


def test_a_pull_whose_sub_task_a_peer_has_landed_is_closed_by_its_author() -> None:
    landed = pull(1, "w0002", "cut", state="closed", merged=True, merged_by="w0003")
    call = answer(BOARD, {"pulls": [landed, pull(2, "w0007", "cut")]}).call
    assert call is not None
    assert (call.tool, call.arguments["number"]) == ("repo_close", 2)
    call = answer(BOARD, {"pulls": [landed, pull(2, "w0005", "cut")]}).call
    assert call is None or call.tool != "repo_close"  # another's is its own to close


def test_when_all_is_done_the_turn_ends() -> None:
    done = [pull(n, "w0002", name, state="closed", merged=True) for n, name in enumerate(RILL.subtasks, 1)]
    found = answer(BOARD, {"pulls": done})
    assert found.call is None
    assert "Nothing is left" in found.text


def test_alone_a_worker_merges_its_own_pull() -> None:
    tools = TOOLS - {"board_read", "board_write", "chat_post", "chat_direct"}
    since = (Exchange("repo_pulls", json.dumps({"pulls": [pull(3, "w0007", "cut")]})), Exchange("shell", ARRIVED))
    tried = Exchange("shell", json.dumps({"output": "passed 6 of 6\n[exit 0]"}))
    found = decide("1", RILL, Conversation(PROMPT, (*since, tried), tools, False, 5))
    assert found.call is not None
    assert found.call.tool == "repo_merge"


def test_alone_a_worker_builds_without_claims() -> None:
    tools = TOOLS - {"board_read", "board_write", "chat_post", "chat_direct"}
    since = (Exchange("repo_pulls", PULLS), Exchange("shell", ARRIVED))
    found = decide("1", RILL, Conversation(PROMPT, since, tools, False, 5))
    assert found.call is not None
    assert "git checkout -q -f -B w0007/" in found.call.arguments["command"]


def test_results_are_read_with_the_inbox_that_came_along() -> None:
    text = (
        '{"note": 4, "seq": 4}\n{"inbox": [{"feed": "direct", "item": "x", "from": "w0002", "text": "{", "at": "z"}]}'
    )
    result = read_result(text)
    assert result.data == {"note": 4, "seq": 4}
    assert result.inbox[0]["from"] == "w0002"
    assert read_result("(dropped)").data == {}


def test_draws_are_even_and_orders_complete() -> None:
    luck = [draw("seed", n) for n in range(2_000)]
    assert 0.45 < sum(luck) / len(luck) < 0.55
    assert sorted(pick(["a", "b", "c"], "q")) == ["a", "b", "c"]

"""What comes becomes turns: in the middle of one, between two, and when nothing comes."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx

from tests.docker.worker.conftest import FakeApp, FakeModel, Place, serving, slack, until


async def post(board: str, text: str, type: str = "FACT") -> int:
    async with httpx.AsyncClient(headers={"Authorization": "Bearer two"}) as peer:
        return int((await peer.post(f"{board}/notes", json={"type": type, "text": text})).json()["note"])


def moves(ingest: FakeApp, feed: str) -> list[tuple[str, Any]]:
    return [(moved["state"], moved["via"]) for moved in ingest.loop("inbox.moved") if moved["feed"] == feed]


async def test_a_note_of_a_peer_arrives_in_the_middle_of_a_turn_behind_the_next_result(
    place: Place, model: FakeModel, ingest: FakeApp, board: str
) -> None:
    def think(messages: list[dict[str, Any]]) -> Any:
        tools = [message for message in messages if message["role"] == "tool"]
        if not tools:
            return "board_read", {}
        if '"inbox"' not in tools[-1]["content"] and len(tools) < 60:
            return ("shell", {"command": "sleep 0.2"}) if len(tools) % 2 else ("board_grep", {"query": "tabs"})
        return "read"

    model.think = think
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, board=board)
        await until(lambda: len(model.requests) >= 3)
        note = await post(board, "tabs are kept")
        await until(lambda: ingest.loop("turn.finished"))
        await until(lambda: ("acknowledged", "turn") in moves(ingest, "board"))
        await place.end()
    result = next(m for m in model.requests[-1]["messages"] if m["role"] == "tool" and '"inbox"' in m["content"])
    (item,) = json.loads(result["content"].splitlines()[-1])["inbox"]
    assert (item["feed"], item["item"], item["from"], item["text"]) == (
        "board",
        note,
        "w0002",
        f"FACT n{note}: tabs are kept",
    )
    assert moves(ingest, "board") == [
        ("stored", "feed"),
        ("leased", "tool"),
        ("shown", "tool"),
        ("acknowledged", "turn"),
    ]
    async with httpx.AsyncClient(headers={"Authorization": "Bearer eye"}) as eye:
        log = (await eye.get(f"{board}/events")).json()["events"]
    assert [(e["worker"], e["upto"]) for e in log if e["op"] == "read" and e["via"] == "turn"] == [("w0001", note)]


async def test_an_idle_worker_is_woken_by_a_note_and_read_notes_are_not_shown_again(
    place: Place, model: FakeModel, ingest: FakeApp, board: str
) -> None:
    model.think = lambda messages: ("board_read", {}) if messages[-1]["role"] == "user" else "done"
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, board=board)
        await until(lambda: len(ingest.loop("turn.finished")) == 1)
        await post(board, "tabs are kept")
        began = time.monotonic()
        await until(lambda: len(ingest.loop("turn.started")) == 2)
        assert time.monotonic() - began < 3
        await until(lambda: len(ingest.loop("turn.finished")) == 2)
        await place.end()
    assert [turn["trigger"] for turn in ingest.loop("turn.started")] == ["first", "inbox"]
    words = [m["content"] for m in model.requests[-1]["messages"] if m["role"] == "user"][-1]
    assert (
        words.startswith("You have new messages.\n")
        and json.loads(words.splitlines()[-1])["inbox"][0]["from"] == "w0002"
    )


async def test_an_idle_worker_is_nudged_and_told_the_time_left(place: Place, model: FakeModel, ingest: FakeApp) -> None:
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(
            model=at_model, ingest=at_app, seconds=16 + slack(), reminders_s=[2700, 300, 10], idle_limit_s=1
        )
        await until(lambda: ingest.loop("reminder.sent"))
        await until(lambda: ingest.loop("nudge.sent"))
        await place.end()
    # 45 and 5 minutes before the end lie before its beginning.
    assert [said["minutes_left"] for said in ingest.loop("reminder.sent")] == [1]
    assert {"first", "reminder", "nudge"} == {turn["trigger"] for turn in ingest.loop("turn.started")}


async def test_a_refused_note_and_a_wrong_call_are_answers_the_agent_can_read(
    place: Place, model: FakeModel, ingest: FakeApp, board: str
) -> None:
    calls = [
        ("board_write", {"type": "CLAIM", "text": "x" * 131}),
        ("board_write", {"text": "x"}),
        ("board_write", {"type": "IDEA", "text": "x"}),
        ("board_unfold", {"note": 99}),
        ("board_grep", {"query": "("}),
        ("chat_post", {"text": "x"}),
        ("board_read", {"since": 3}),
    ]

    def think(messages: list[dict[str, Any]]) -> Any:
        done = sum(message["role"] == "tool" for message in messages)
        return calls[done] if done < len(calls) else "done"

    model.think = think
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, board=board)
        await until(lambda: ingest.loop("turn.finished"))
        await place.end()
    said = [json.loads(m["content"])["error"] for m in model.requests[-1]["messages"] if m["role"] == "tool"]
    assert said == [
        "text is 131 characters, CLAIM allows 100",
        "board_write needs type",
        "type must be one of OBSERVED, FACT, FAIL, CLAIM, PATCH_SUMMARY",
        "no note 99",
        "a word is missing at the end",
        "no tool is named 'chat_post'",
        "board_read takes no since; it takes after",
    ]

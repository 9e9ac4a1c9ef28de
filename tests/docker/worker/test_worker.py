from __future__ import annotations

import json
from typing import Any

import httpx

from tests.docker.worker.conftest import FakeApp, FakeModel, Place, serving, spooled, until


def results(messages: list[dict[str, Any]]) -> list[Any]:
    """Tool results since the last user message."""
    last = max(i for i, message in enumerate(messages) if message["role"] == "user")
    return [message["content"] for message in messages[last:] if message["role"] == "tool"]


def claimer(messages: list[dict[str, Any]]) -> Any:
    """Read the board, look into the shell, claim, and end the turn."""
    steps = [
        ("board_read", {}),
        ("shell", {"command": "git config user.name; pwd"}),
        ("board_write", {"type": "CLAIM", "text": "lexer strings", "delegation_id": "t-01"}),
    ]
    done = len(results(messages))
    return steps[done] if done < len(steps) else "I hold t-01."


async def test_a_worker_claims_on_a_real_board_and_everything_it_said_reaches_the_app(
    place: Place, model: FakeModel, ingest: FakeApp, board: str
) -> None:
    model.think = claimer
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, board=board)
        await until(lambda: ingest.loop("turn.finished"))
        assert await place.end() == 0
    async with httpx.AsyncClient(headers={"Authorization": "Bearer two"}) as peer:
        (note,) = (await peer.get(f"{board}/notes")).json()["notes"]
    assert (note["worker"], note["type"], note["text"]) == ("w0001", "CLAIM", "lexer strings")

    first = model.requests[0]["messages"][1]["content"]
    assert first.startswith("Your name is w0001.\n") and "\nNow: 20" in first
    shell = json.loads(results(model.requests[-1]["messages"])[1])
    assert shell == {"exit_code": 0, "output": f"w0001\n{place.folder / 'work'}\n"}

    assert ingest.items == spooled(place.folder) and ingest.doubled == 0
    assert [n for _, n in sorted(ingest.items)] == list(range(1, len(ingest.items) + 1))
    assert ingest.loop("session.opened")[0]["harness"] == "mini/1.0"
    assert ingest.loop("turn.started")[0] == {"kind": "turn.started", "turn": 1, "trigger": "first"}
    assert ingest.loop("turn.finished")[0]["stop_reason"] == "end_turn"
    updates = [
        item["msg"]["params"]["update"]
        for item in ingest.items.values()
        if item["dir"] == "from_agent" and item["msg"].get("method") == "session/update"
    ]
    started = [update for update in updates if update["sessionUpdate"] == "tool_call"]
    assert [update["_meta"]["mini"]["toolName"] for update in started] == ["board_read", "shell", "board_write"]
    usage = next(
        item["msg"]["result"]["usage"]
        for item in ingest.items.values()
        if "stopReason" in (item["msg"].get("result") or {})
    )
    assert (usage["inputTokens"], usage["outputTokens"], usage["cachedReadTokens"]) == (400, 40, 160)

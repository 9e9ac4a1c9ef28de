"""What a worker survives, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.docker.worker.conftest import ENV, FakeApp, FakeModel, Place, serving, slack, spooled, until


def first_of_turn(messages: list[dict[str, Any]]) -> bool:
    """Whether the model has not acted yet in the present turn."""
    return messages[-1]["role"] == "user"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def sleeper(place: Place) -> Any:
    """A model whose first act is to start processes that would outlive it."""
    script = f"sleep 300 & setsid sleep 300 & echo $! $$ > {place.folder}/pids; sleep 300"
    return lambda messages: ("shell", {"command": script}) if first_of_turn(messages) else "done"


async def test_nothing_is_lost_or_doubled_while_the_app_is_down_slow_or_failing(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    model.think = lambda messages: ("shell", {"command": "true"}) if len(messages) < 20 else "done"
    ingest.faults = [503, 429, 500]
    async with serving(ingest.app) as at_app, serving(model.app) as at_model:
        port = int(at_app.rsplit(":", 1)[1])
    async with serving(model.app) as at_model:  # the app is down from the start
        await place.start(model=at_model, ingest=f"http://127.0.0.1:{port}")
        await until(lambda: any(i["msg"].get("kind") == "turn.finished" for i in spooled(place.folder).values()))
        assert not ingest.items
        async with serving(ingest.app, port):
            await until(lambda: ingest.loop("turn.finished"))
        moved = FakeApp()  # the app comes back elsewhere, with what it had
        moved.items = ingest.items
        async with serving(moved.app) as elsewhere:
            place.config["endpoints"]["ingest"] = {"url": elsewhere}
            (place.folder / "worker.json").write_text(json.dumps(place.config))
            (place.folder / "commands.jsonl").write_text('{"command": "nudge"}\nnot json\n{"command"')
            await until(lambda: len(ingest.loop("turn.finished")) == 2)
            assert await place.end() == 0
    assert ingest.items == spooled(place.folder)
    assert (ingest.doubled, moved.doubled) == (0, 0)
    assert ingest.loop("turn.started")[1]["trigger"] == "nudge"


async def test_a_killed_worker_goes_on_in_its_next_life_and_ships_what_the_dead_one_left(
    place: Place, model: FakeModel, ingest: FakeApp, board: str
) -> None:
    busy = f"echo $PPID $$ > {place.folder}/pids; sleep 300; true"
    model.think = lambda messages: ("shell", {"command": busy}) if first_of_turn(messages) else "done"
    async with serving(model.app) as at_model:
        await place.start(model=at_model, ingest="http://127.0.0.1:9", board=board)
        await until(lambda: (place.folder / "pids").exists())
        await asyncio.sleep(0.5)
        assert await place.end(signal.SIGKILL) == -signal.SIGKILL
        mini_and_shell = [int(pid) for pid in (place.folder / "pids").read_text().split()]
        await until(lambda: not any(map(alive, mini_and_shell)), 20)  # its stdin closed: it ends by itself
        with (place.folder / "spool" / "1.jsonl").open("a") as torn:
            torn.write('{"n": 99, "at": "20')
        model.think = lambda messages: "I see."
        async with serving(ingest.app) as at_app:
            await place.start(model=at_model, ingest=at_app, board=board)
            await until(lambda: ingest.loop("turn.finished", life=2))
            await place.end()
    assert ingest.items == spooled(place.folder) and ingest.doubled == 0
    assert ingest.loop("turn.started", life=1)[0]["trigger"] == "first"
    assert ingest.loop("turn.started", life=2)[0]["trigger"] == "recap"
    assert [opened["resumed"] for opened in ingest.loop("session.opened")] == [False, True]
    said = model.requests[-1]["messages"]
    assert said[1]["content"].startswith("Your name is w0001.")
    assert said[-1]["content"].startswith("You were interrupted and go on in the same conversation.")
    assert [message["role"] for message in said[1:]] == ["user", "assistant", "tool", "user"]
    again = [item["msg"]["message"] for item in ingest.items.values() if item["msg"].get("kind") == "session.replayed"]
    assert len(again) == 3  # the prompt, the call and its end: told apart from what is said for the first time
    calls = [
        item for item in ingest.items.values() if '"tool_call"' in json.dumps(item) and item["dir"] == "from_agent"
    ]
    assert len(calls) == 1


async def test_what_a_dead_worker_left_is_shipped_afterwards_by_the_salvage(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    async with serving(model.app) as at_model:
        await place.start(model=at_model, ingest="http://127.0.0.1:9")
        await until(lambda: any(i["msg"].get("kind") == "turn.finished" for i in spooled(place.folder).values()))
        await place.end(signal.SIGKILL)

    async def salvage() -> int:
        command = ["-m", "worker.ship", "--config", str(place.folder / "worker.json"), "--seconds", "1"]
        process = await asyncio.create_subprocess_exec(sys.executable, *command, env=ENV)
        return await asyncio.wait_for(process.wait(), 60)

    assert await salvage() == 1  # the app is still away
    async with serving(ingest.app) as at_app:
        place.config["endpoints"]["ingest"] = {"url": at_app}
        (place.folder / "worker.json").write_text(json.dumps(place.config))
        assert await salvage() == 0
        assert await salvage() == 0
    assert ingest.items == spooled(place.folder) and ingest.doubled == 0


async def test_a_worker_ends_when_the_app_says_that_a_newer_life_has_joined(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, idle_limit_s=0.5)
        await until(lambda: ingest.loop("turn.finished"))
        ingest.older = True
        assert await asyncio.wait_for(place.process.wait(), 60) == 0  # type: ignore[union-attr]
    assert ingest.items == spooled(place.folder)
    assert [asked["why"] for asked in ingest.loop("stop.asked")] == ["a newer life has joined"]


async def test_a_harness_that_dies_is_started_again_in_the_same_life(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    def think(messages: list[dict[str, Any]]) -> Any:
        if len(model.requests) == 1:
            return "shell", {"command": "kill -9 $PPID"}
        return "I am back."

    model.think = think
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app)
        await until(lambda: [t for t in ingest.loop("turn.finished") if t["stop_reason"] == "end_turn"])
        assert await place.end() == 0
    died, well = ingest.loop("turn.finished")
    assert died["error"].startswith("harness died") and well["error"] is None
    assert [opened["session"] for opened in ingest.loop("session.opened")] == [1, 2]
    assert [started["trigger"] for started in ingest.loop("turn.started")] == ["first", "recap"]
    assert {item["session"] for item in ingest.items.values()} >= {1, 2}


async def test_a_harness_that_never_answers_ends_the_worker_with_code_3(place: Place, ingest: FakeApp) -> None:
    place.config["command"] = [sys.executable, "-c", "print('no ACP here', flush=True); import sys; sys.exit(1)"]
    async with serving(ingest.app) as at_app:
        await place.start(model="http://127.0.0.1:9", ingest=at_app)
        assert await asyncio.wait_for(place.process.wait(), 90) == 3  # type: ignore[union-attr]
    assert {item["msg"] for item in ingest.items.values() if item["dir"] == "noise"} == {"no ACP here"}
    assert ingest.loop("harness.failed")


async def test_at_the_deadline_the_turn_is_cancelled_and_no_process_is_left(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    model.think = sleeper(place)
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app, seconds=6 + slack())
        await until(lambda: (place.folder / "pids").exists())
        pids = [int(pid) for pid in (place.folder / "pids").read_text().split()]
        assert all(map(alive, pids))
        assert await asyncio.wait_for(place.process.wait(), 60) == 0  # type: ignore[union-attr]
    assert not any(map(alive, pids))
    (turn,) = ingest.loop("turn.finished")
    assert turn["stop_reason"] == "cancelled"
    assert ingest.items == spooled(place.folder)


@pytest.mark.parametrize("hung", ["model", "tool"])
async def test_a_worker_told_to_stop_ends_within_seconds(
    place: Place, model: FakeModel, ingest: FakeApp, hung: str
) -> None:
    model.think = sleeper(place) if hung == "tool" else lambda messages: 30.0
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app)
        await until(lambda: model.requests and (hung == "model" or (place.folder / "pids").exists()))
        began = time.monotonic()
        assert await place.end() == 0
        assert time.monotonic() - began < 15
    assert ingest.items == spooled(place.folder)
    if hung == "tool":
        assert not any(alive(int(pid)) for pid in (place.folder / "pids").read_text().split())


async def test_a_failed_turn_is_tried_again_with_the_same_words(
    place: Place, model: FakeModel, ingest: FakeApp
) -> None:
    model.think = lambda messages: 401 if len(model.requests) < 3 else "at last"
    async with serving(model.app) as at_model, serving(ingest.app) as at_app:
        await place.start(model=at_model, ingest=at_app)
        await until(lambda: len(ingest.loop("turn.finished")) == 3)
        await place.end()
    assert [turn["error"] is None for turn in ingest.loop("turn.finished")] == [False, False, True]
    assert ingest.loop("turn.finished")[0]["error"].startswith("authentication_failed")
    assert [turn["trigger"] for turn in ingest.loop("turn.started")] == ["first", "first", "first"]
    users = [message for message in model.requests[-1]["messages"] if message["role"] == "user"]
    assert len(users) == 1


async def test_a_bad_file_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "worker.json").write_text('{"run": "demo", "worker": 1}')
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "worker", "--config", tmp_path / "worker.json", env=ENV, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert (process.returncode, said.decode().strip().splitlines()) == (
        2,
        [f"worker: {tmp_path / 'worker.json'}: life is missing"],
    )

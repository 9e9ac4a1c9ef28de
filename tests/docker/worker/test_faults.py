"""Whatever dies, hangs or lies, every message reaches the agent and is counted once: lost 0, doubled 0."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.docker.worker.conftest import serving, slack, until
from tests.docker.worker.faulty import Subject, board_of, busy, writing

pytestmark = pytest.mark.faults
HOUR = 3600
TORRENT = 100_000_000


async def test_the_cli_killed_in_the_middle_of_turns(tmp_path: Path) -> None:
    one = Subject(tmp_path)
    one.model.think = partial(busy, steps=15)
    with board_of(tmp_path / "board", ["w0001"]) as board:
        async with serving(one.model.app) as model, serving(one.app.app) as app:
            await one.place.start(model=model, ingest=app, board=board, seconds=900)
            await until(one.listening)
            async with writing(board, one):
                for starts in (1, 2, 3):
                    await until(partial(opened, one, starts))
                    await until(partial(more_shown_by_tools, one, len(one.loop("inbox.moved"))))
                    os.kill(one.harness_pid(), signal.SIGKILL)
                await until(partial(opened, one, 4))
            await until(one.acknowledged)
            assert await one.end() == 0
    assert one.ledger().clean and one.shipped() and len(one.notes) > 5
    assert sum(turn["error"] is not None for turn in one.loop("turn.finished")) == 3
    assert [opened["resumed"] for opened in one.loop("session.opened")] == [False, True, True, True]
    assert max(one.ledger().shown.values()) > 1  # what a killed turn had shown was shown again


async def test_the_worker_killed_at_any_moment_of_a_delivery(tmp_path: Path) -> None:
    one, luck, open_when_killed = Subject(tmp_path), random.Random(7), 0
    with board_of(tmp_path / "board", ["w0001"]) as board:
        async with serving(one.model.app) as model, serving(one.app.app) as app:
            await one.place.start(model=model, ingest=app, board=board, seconds=900)
            await until(one.listening)
            async with writing(board, one, every=0.3):
                for life in range(1, 21):  # until enough of the kills met a delivery under way: when they do is luck
                    await until(partial(asked, one, len(one.model.requests) + 3))
                    await asyncio.sleep(luck.uniform(0, 0.7))
                    await one.kill()
                    open_when_killed += one.in_hand() > 0
                    assert one.place.life == life
                    await one.place.start(model=model, ingest=app, board=board, seconds=900)
                    if life >= 5 and open_when_killed >= 3:
                        break
            await until(one.acknowledged)
            assert await one.end() == 0
    assert one.ledger().clean and one.shipped()
    assert open_when_killed >= 3, "the kills met no delivery under way"
    assert {move["via"] for move in one.loop("inbox.moved") if move["state"] == "stored"} == {"feed", "recap"}


async def test_an_older_life_that_comes_back_yields(tmp_path: Path) -> None:
    one = Subject(tmp_path)
    with board_of(tmp_path / "board", ["w0001"]) as board:
        async with serving(one.model.app) as model, serving(one.app.app) as app:
            await one.place.start(model=model, ingest=app, board=board, seconds=900)
            await until(one.listening)
            async with writing(board, one):
                await until(lambda: any(m["state"] == "shown" for m in one.loop("inbox.moved")))
                older = one.place.process
                assert older is not None
                older.send_signal(signal.SIGSTOP)  # its node is away
                await one.place.start(model=model, ingest=app, board=board, seconds=900)
                await until(lambda: len(one.loop("turn.finished", life=2)) >= 2)
                older.send_signal(signal.SIGCONT)
                began = time.monotonic()
                assert await asyncio.wait_for(older.wait(), 60) == 0
                took = time.monotonic() - began
            await until(one.acknowledged)
            assert await one.end() == 0
    assert one.ledger().clean and one.shipped()
    assert took < 12 + slack()
    (asked,) = one.loop("stop.asked", life=1)
    assert asked["why"] == "life 2 has taken over from life 1"
    assert one.loop("processes.ended", life=1)[0]["left"] == 0


@pytest.mark.parametrize("off", [HOUR, -HOUR])
async def test_a_clock_one_hour_off_moves_no_deadline_and_no_reminder(tmp_path: Path, off: int) -> None:
    (tmp_path / "clock").mkdir()
    shifted = f"import time\nreal, real_ns = time.time, time.time_ns\ntime.time = lambda: real() + {off}\n"
    (tmp_path / "clock" / "sitecustomize.py").write_text(
        shifted + f"time.time_ns = lambda: real_ns() + {off} * 10**9\n"
    )
    one = Subject(tmp_path)
    one.place.path = [str(tmp_path / "clock")]
    seconds = 20 + min(40.0, slack())
    async with serving(one.model.app) as model, serving(one.app.app) as app:
        began = time.time()
        await one.place.start(model=model, ingest=app, seconds=seconds, reminders_s=[5], start_at=began + 1)
        assert await asyncio.wait_for(one.place.process.wait(), 120) == 0  # type: ignore[union-attr]
        lasted = time.time() - began
    assert seconds - 6 < lasted < seconds + 15 + slack()
    (item,) = [
        i for i in one.app.items.values() if i["msg"].get("kind") == "turn.started" and i["msg"]["trigger"] == "first"
    ]
    assert (
        abs(datetime.fromisoformat(item["at"]).timestamp() - began - off) < 60
    )  # raw; ingest puts it right by sent_at
    said = next(m["content"] for m in one.model.requests[0]["messages"] if m["role"] == "user")
    now = datetime.fromisoformat(said.rsplit("Now: ", 1)[1].split()[0])
    assert abs((now - datetime.now(UTC)).total_seconds()) < 90
    assert [reminder["minutes_left"] for reminder in one.loop("reminder.sent")] == [1]
    assert one.shipped() and one.app.doubled == 0


async def test_a_tool_that_prints_a_hundred_megabytes(tmp_path: Path) -> None:
    one = Subject(tmp_path)
    command = f"head -c {TORRENT} /dev/zero | tr '\\0' x"

    def think(messages: list[dict[str, Any]]) -> Any:
        return ("shell", {"command": command}) if messages[-1]["role"] == "user" else "done"

    one.model.think = think
    peak = 0
    async with serving(one.model.app) as model, serving(one.app.app) as app:
        await one.place.start(model=model, ingest=app, seconds=900)
        while not one.loop("turn.finished"):
            peak = max(peak, rss(one.place.process.pid), rss_of_harness(one))  # type: ignore[union-attr]
            await asyncio.sleep(0.05)
        assert await one.end() == 0
    assert one.loop("turn.finished")[0]["error"] is None and one.shipped() and one.app.changed == 0
    (result,) = [m["content"] for m in one.model.requests[-1]["messages"] if m["role"] == "tool"]
    assert "bytes left out" in result and len(result) < 40_000
    assert peak < 200, f"{peak} MB"


async def test_a_harness_that_says_a_hundred_megabytes_in_small_and_in_one_line(tmp_path: Path) -> None:
    one = Subject(tmp_path)
    agent = str(Path(__file__).with_name("fake_agent.py"))
    one.place.config |= {"command": [sys.executable, agent, "--torrent"], "harness": "fake", "idle_limit_s": 2}
    peak = 0
    async with serving(one.app.app) as app:
        await one.place.start(model="http://127.0.0.1:9", ingest=app, seconds=900)
        while len(one.loop("turn.finished")) < 2:
            peak = max(peak, rss(one.place.process.pid))  # type: ignore[union-attr]
            await asyncio.sleep(0.05)
        await until(one.shipped, 120)
        assert await one.end() == 0
    chunks = [
        i for i in one.app.items.values() if i["dir"] == "from_agent" and "agent_message_chunk" in str(i["msg"])[:400]
    ]
    assert sum(len(chunk["msg"]["params"]["update"]["content"]["text"]) for chunk in chunks) == TORRENT
    (noise,) = [i["msg"] for i in one.app.items.values() if i["dir"] == "noise"]
    assert "bytes was dropped" in noise
    assert [turn["error"] for turn in one.loop("turn.finished")[:2]] == [None, None]
    # An app this busy may answer too late, and be sent a batch again: the same items, which it keeps once.
    assert one.shipped() and one.app.changed == 0 and peak < 350, f"{peak} MB"


def opened(one: Subject, times: int) -> bool:
    return len(one.loop("session.opened")) >= times


def more_shown_by_tools(one: Subject, moves: int) -> bool:
    return any(move["via"] == "tool" and move["state"] == "shown" for move in one.loop("inbox.moved")[moves:])


def asked(one: Subject, requests: int) -> bool:
    return len(one.model.requests) >= requests


def rss(pid: int) -> int:
    """Resident memory of a process in MB; 0 once it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 >> 20
    except (OSError, IndexError):
        return 0


def rss_of_harness(one: Subject) -> int:
    try:
        return rss(one.harness_pid())
    except (OSError, StopIteration):
        return 0

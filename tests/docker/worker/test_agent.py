"""The adapter over every way a harness is known to speak, fail and end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from worker.agent import Harness, HarnessDied
from worker.endings import Ending

AGENT = str(Path(__file__).with_name("fake_agent.py"))


class Heard:
    def __init__(self) -> None:
        self.messages: list[tuple[str, Any]] = []
        self.noise: list[str] = []

    def texts(self) -> list[str]:
        found = []
        for dir, message in self.messages:
            update = (message.get("params") or {}).get("update") or {}
            if dir == "from_agent" and update.get("sessionUpdate") == "agent_message_chunk":
                found.append(update["content"]["text"])
        return found


@contextlib.asynccontextmanager
async def harness(tmp_path: Path, *flags: str) -> AsyncIterator[tuple[Harness, Heard]]:
    heard = Heard()
    one = Harness(
        [sys.executable, AGENT, *flags],
        dict(os.environ),
        tmp_path,
        tmp_path / "harness.log",
        lambda dir, message: heard.messages.append((dir, message)),
        heard.noise.append,
    )
    try:
        yield one, heard
    finally:
        await one.end(0.3)
        assert not one.alive


async def test_a_session_opens_and_everything_is_observed_raw(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, heard):
        await one.start()
        assert one.info == "fake/7"
        session = await one.open("http://127.0.0.1:1/mcp")
        assert await one.prompt(session, "hello") == Ending("end_turn")
    asked = heard.messages[2][1]
    assert asked["params"]["mcpServers"] == [
        {"type": "http", "name": "team", "url": "http://127.0.0.1:1/mcp", "headers": []}
    ]
    assert heard.messages[3][1]["result"]["models"] == {"unknown": "kept"}  # a field the typed models drop
    assert [dir for dir, _ in heard.messages] == ["to_agent", "from_agent"] * 3


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        ("refuse", Ending(None, "rate_limit: Internal error")),
        ("error in words", Ending("end_turn", "Error: Authentication failed with provider")),
        ("new stop reason", Ending("bored")),
        ("new update", Ending("end_turn")),
        ("noise", Ending("end_turn")),
        ("long", Ending("end_turn")),
        ("flood", Ending("end_turn")),
    ],
)
async def test_every_ending_of_a_prompt_is_an_answer_and_the_session_goes_on(
    tmp_path: Path, words: str, ending: Ending
) -> None:
    async with harness(tmp_path) as (one, heard):
        await one.start()
        session = await one.open("http://127.0.0.1:1/mcp")
        assert await one.prompt(session, words) == ending
        assert await one.prompt(session, "hello") == Ending("end_turn")
    assert heard.noise == (["a warning, not a message", "[1, 2]"] if words == "noise" else [])
    if words == "long":
        assert len(heard.texts()[0]) == 3_000_000
    if words == "flood":
        assert (tmp_path / "harness.log").stat().st_size == 300_000


async def test_permission_is_granted_by_an_option_that_allows(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, heard):
        await one.start()
        await one.prompt(await one.open("http://127.0.0.1:1/mcp"), "permission")
    assert heard.texts() == ['{"outcome": {"optionId": "yes", "outcome": "selected"}}']


async def test_a_permission_that_is_refused_and_ends_the_turn_is_said_to_have_been(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, _):
        one.permissions = "deny"
        await one.start()
        session = await one.open("http://127.0.0.1:1/mcp")
        assert await one.prompt(session, "permission") == Ending("end_turn", refused=True)
        assert await one.prompt(session, "hello") == Ending("end_turn")


async def test_a_harness_that_dies_in_a_prompt_is_said_to_have_died(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, _):
        await one.start()
        ending = await one.prompt(await one.open("http://127.0.0.1:1/mcp"), "die")
        assert ending.died and ending.error is not None


async def test_a_long_rest_before_a_turn_is_no_silence_of_the_model(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, _):
        await one.start()
        session = await one.open("http://127.0.0.1:1/mcp")
        one.heard.at -= 3_600
        turn = asyncio.create_task(one.prompt(session, "hello"))
        assert one.heard.silent_s < 1  # before the task has had its first moment
        assert await turn == Ending("end_turn")


async def test_a_cancelled_prompt_comes_back(tmp_path: Path) -> None:
    async with harness(tmp_path) as (one, _):
        await one.start()
        session = await one.open("http://127.0.0.1:1/mcp")
        prompt = asyncio.create_task(one.prompt(session, "hang"))
        await asyncio.sleep(0.2)
        await one.cancel(session)
        assert await asyncio.wait_for(prompt, 5) == Ending("cancelled")


async def test_a_harness_without_login_or_program_is_dead_on_arrival(tmp_path: Path) -> None:
    async with harness(tmp_path, "--no-login") as (one, _):
        await one.start()
        with pytest.raises(HarnessDied, match="Authentication required"):
            await one.open("http://127.0.0.1:1/mcp")
    missing = Harness(["/no/such/program"], {}, tmp_path, tmp_path / "log", lambda *_: None, lambda _: None)
    with pytest.raises(HarnessDied, match="No such file"):
        await missing.start()


async def test_a_harness_that_ignores_the_end_of_its_input_is_ended(tmp_path: Path) -> None:
    async with harness(tmp_path, "--ignores-eof") as (one, _):
        await one.start()
        began = time.monotonic()
        await one.end(0.3)
        assert time.monotonic() - began < 3 and not one.alive

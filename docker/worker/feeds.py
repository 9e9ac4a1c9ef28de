"""The feeds: readers of board, chat and repository that put what concerns this worker into its inbox."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Any

from worker.clients.board import Board
from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.clients.http import ToolError
from worker.inbox import Inbox, Item
from worker.notices import names, notices

BOARD_WAIT_S = 25
OVERLAP_MS = 2_000
SLOWEST_S = 10.0


async def forever(step: Callable[[], Awaitable[None]], pause: float, complain: Callable[[str], None]) -> None:
    """Run a reader's step again and again. A failing service is asked ever more rarely, and complained about once."""
    wait, broken = pause, False
    while True:
        try:
            await step()
        except (ToolError, KeyError, TypeError, ValueError, AttributeError, sqlite3.Error) as error:
            if not broken:
                complain(f"{type(error).__name__}: {error}")
            broken, wait = True, min(SLOWEST_S, max(wait, 0.25) * 2)
        else:
            broken, wait = False, pause
        await asyncio.sleep(wait)


class BoardFeed:
    """New live notes of others, as soon as they are written."""

    def __init__(self, board: Board, inbox: Inbox, me: str) -> None:
        self._board, self._inbox, self._me = board, inbox, me

    async def step(self) -> None:
        """Wait for notes and store them. The first reading of a worker's first life takes what is there as known: its first
        act is to read the board."""
        after = self._inbox.recall("board", None)
        if after is None:
            self._inbox.remember("board", (await self._board.wait(0, 0))["upto"])
            return
        page = await self._board.wait(after, BOARD_WAIT_S)
        items = [
            Item("board", str(note["note"]), note["worker"], note_line(note), note["at"])
            for note in page["notes"]
            if note["worker"] != self._me
        ]
        self._inbox.store(items, {"board": page["upto"]})


def note_line(note: dict[str, Any]) -> str:
    """A note in one line: type, sub-task if it has one, text."""
    sub_task = f" [{note['delegation_id']}]" if note.get("delegation_id") else ""
    return f"{note['type']} n{note['note']}{sub_task}: {note['text']}"


class ChatFeed:
    """New messages of others in the channel and in direct channels."""

    def __init__(self, chat: Chat, inbox: Inbox) -> None:
        self._chat, self._inbox = chat, inbox

    async def step(self) -> None:
        """Read what is new. The service's clock writes the times and a row may commit late: each reading overlaps the last."""
        after = self._inbox.recall("chat", None)
        if after is None:
            after = int(time.time() * 1000) - OVERLAP_MS
        page = await self._chat.read(max(1, after - OVERLAP_MS))
        items = [
            Item(message["kind"], message["message"], message["from"], message["text"], message["at"])
            for message in page["messages"]
            if not message["mine"]
        ]
        self._inbox.store(items, {"chat": max(after, page["upto"])})


class RepoFeed:
    """What happened to pulls that concern this worker: asked for its review, reviewed, pushed, merged, closed, in conflict."""

    def __init__(self, forge: Forge, inbox: Inbox) -> None:
        self._forge, self._inbox = forge, inbox

    async def step(self) -> None:
        """Compare the pulls that were touched, and this worker's own open ones, with what was seen before: listing all of them
        for every worker every other second is more than a forge on a small machine can answer."""
        before = self._inbox.recall("repo", {})
        since = max((known.get("updated") or "" for known in before.values()), default="")
        pulls = await self._forge.touched(since)
        listed = {pull["number"] for pull in pulls}
        own = [int(number) for number, known in before.items() if known.get("mine") and known.get("state") == "open"]
        pulls += [await self._forge.raw_pull(number) for number in own if number not in listed]  # is one in conflict?
        reviews, asked = {}, {}
        for pull in pulls:
            mine = pull["user"]["login"] == self._forge.me
            known = before.get(str(pull["number"]), {})
            # Times are whole seconds: what was touched in the newest one may have been touched once more.
            moved = pull.get("updated_at") != known.get("updated") or str(pull.get("updated_at")) >= since
            if mine and moved and (pull["state"] == "open" or known.get("state") == "open"):
                reviews[pull["number"]] = await self._forge.reviews(pull["number"])
            elif pull["state"] == "open" and names(self._forge.me, pull):
                number, waited_for = pull["number"], bool(known.get("requested"))
                asked[number] = await self._forge.waits_for_me(number) if moved else waited_for
        found, after = notices(self._forge.me, pulls, reviews, before, asked)
        if found or after != before:
            self._inbox.store(found, {"repo": after})

"""The tools a worker's agent calls. Each returns a JSON value; each failure is an answer, never an exception that ends a turn."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from worker import toolspecs
from worker.clients.board import Board
from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.clients.http import ToolError
from worker.inbox import DIRECT_FEEDS, Inbox, Item
from worker.records import Superseded

Handler = Callable[..., Awaitable[Any]]
MID_TURN = 20


class Tools:
    """The tools that this worker's services allow, and the inbox items that ride on their results."""

    def __init__(
        self,
        inbox: Inbox,
        board: Board | None,
        chat: Chat | None,
        forge: Forge | None,
        announced: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._inbox, self._board, self._chat, self._forge, self._announced = inbox, board, chat, forge, announced
        self.in_turn = False
        self.specs: dict[str, tuple[str, dict[str, Any]]] = {
            **(toolspecs.BOARD if board else {}),
            **(toolspecs.CHAT if chat else {}),
            **(toolspecs.REPO if forge else {}),
        }

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[list[str], bool]:
        """The text blocks of an answer and whether it is an error. In a turn, what came meanwhile rides behind the answer."""
        try:
            fault = self._fault(name, arguments)
            if fault:
                raise ToolError(fault)
            answer, failed = await getattr(self, f"_{name}")(**arguments), False
        except ToolError as error:
            answer, failed = {"error": str(error), **error.facts}, True
        except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
            # A service answered something we cannot read: the agent is told, the loop goes on.
            answer, failed = {"error": f"unexpected answer: {type(error).__name__} {error}"}, True
        except Superseded as error:
            return [_json({"error": f"{error}: end your turn"})], True
        return [_json(answer), *(await self._riders() if self.in_turn else [])], failed

    def _fault(self, name: str, arguments: dict[str, Any]) -> str | None:
        """What is wrong with a call, by the tool's own schema."""
        if name not in self.specs:
            return f"no tool is named {name!r}; there are: {', '.join(self.specs)}"
        schema = self.specs[name][1]
        for key in schema["required"]:
            if arguments.get(key) is None:
                return f"{name} needs {key}"
        for key, value in list(arguments.items()):
            rule = schema["properties"].get(key)
            if rule is None:
                return f"{name} takes no {key}; it takes {', '.join(schema['properties']) or 'nothing'}"
            if value is None:
                del arguments[key]
            elif not isinstance(value, _TYPES[rule["type"]]) or isinstance(value, bool):
                return f"{key} must be {rule['type']}"
            elif value not in rule.get("enum", [value]):
                return f"{key} must be one of {', '.join(rule['enum'])}"
            elif isinstance(value, list) and not all(isinstance(item, str) for item in value):
                return f"{key} must be a list of names"
        return None

    async def _riders(self) -> list[str]:
        """Direct messages and new notes, and an announcement that is due, behind a result."""
        riders = []
        items = self._inbox.lease(DIRECT_FEEDS, "tool", MID_TURN)
        if items:
            await self.show(items, "tool")
            riders.append(_json({"inbox": [item.shown() for item in items]}))
        said = self._announced()
        if said is not None:
            riders.append(_json({"reminder": said}))
        return riders

    async def show(self, items: list[Item], via: str) -> None:
        """Mark items shown; what was shown of the board is a read in its log."""
        self._inbox.show(items, via)
        notes = [int(item.item) for item in items if item.feed == "board"]
        if notes and self._board:
            try:
                await self._board.shown(max(notes), "turn")
            except ToolError:
                pass  # a board that is away loses this line of its log, not the worker its turn

    async def _board_read(self, after: int = 0) -> Any:
        page = await self._the(self._board).read(max(0, after))
        self._inbox.seen(["board"], lambda item: after < int(item.item) <= page["upto"], "read")
        return page

    async def _board_write(self, **note: Any) -> Any:
        return await self._the(self._board).write(note)

    async def _board_grep(self, query: str) -> Any:
        return await self._the(self._board).grep(query)

    async def _board_unfold(self, note: int) -> Any:
        return await self._the(self._board).unfold(note)

    async def _chat_post(self, text: str) -> Any:
        return await self._the(self._chat).post(text)

    async def _chat_direct(self, to: str, text: str) -> Any:
        return await self._the(self._chat).direct(to, text)

    async def _chat_read(self, after: int = 0) -> Any:
        page = await self._the(self._chat).read(max(0, after))
        ids = {message["message"] for message in page["messages"]}
        self._inbox.seen(["channel", "direct"], lambda item: item.item in ids, "read")
        return page

    async def _repo_pulls(self, state: str = "all") -> Any:
        return {"pulls": await self._the(self._forge).pulls(state)}

    async def _repo_pull(self, number: int) -> Any:
        return await self._the(self._forge).pull(number)

    async def _repo_open_pull(self, branch: str, title: str, body: str, claim: int | None = None) -> Any:
        return await self._the(self._forge).open(branch, title, body, claim)

    async def _repo_request_review(self, number: int, reviewers: list[str]) -> Any:
        return await self._the(self._forge).request_review(number, reviewers)

    async def _repo_review(self, number: int, verdict: str, text: str) -> Any:
        return await self._the(self._forge).review(number, verdict, text)

    async def _repo_dismiss_own_review(self, number: int) -> Any:
        return await self._the(self._forge).dismiss_own(number)

    async def _repo_merge(self, number: int) -> Any:
        return await self._the(self._forge).merge(number)

    async def _repo_close(self, number: int, reason: str) -> Any:
        return await self._the(self._forge).close(number, reason)

    @staticmethod
    def _the(service: Any) -> Any:
        assert service is not None  # a tool of an absent service is not in `specs`
        return service


_TYPES: dict[str, type] = {"string": str, "integer": int, "array": list}


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace").decode()

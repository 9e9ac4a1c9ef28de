"""An agent on its own, spoken to over its standard input and output as plainly as ACP can be: what a turn costs without a loop around it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from runs.spec import Command

LINE = 1 << 26


def filled(env: Mapping[str, str], token: str) -> dict[str, str]:
    """The environment of a command with its token put in, as the worker's loop does it."""
    return {name: value.replace("{token.model}", token) for name, value in env.items()}


class Bare:
    """One agent with one session."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.pid, self._in, self._out = process.pid, process.stdin, process.stdout
        self._n, self._session = 0, ""

    @classmethod
    @asynccontextmanager
    async def started(cls, command: Command, env: Mapping[str, str], folder: Path) -> AsyncIterator[Bare]:
        """Start it and open a session without tools of the team; end it with the block."""
        pipe = asyncio.subprocess.PIPE
        with (folder / "log.txt").open("ab") as log:
            words = command.argv
            process = await asyncio.create_subprocess_exec(
                *words, cwd=folder, env=dict(env), stdin=pipe, stdout=pipe, stderr=log, limit=LINE
            )
        try:
            agent = cls(process)
            await agent.ask("initialize", protocolVersion=1, clientCapabilities={})
            agent._session = (await agent.ask("session/new", cwd=str(folder), mcpServers=[]))["sessionId"]
            if command.session_mode:
                await agent.ask("session/set_mode", sessionId=agent._session, modeId=command.session_mode)
            yield agent
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            try:
                await asyncio.wait_for(process.wait(), 5)
            except TimeoutError:
                process.kill()
                await process.wait()

    async def prompt(self, text: str) -> dict[str, Any]:
        """One turn. Raises RuntimeError where it does not end by itself."""
        ended = await self.ask("session/prompt", sessionId=self._session, prompt=[{"type": "text", "text": text}])
        if ended.get("stopReason") != "end_turn":
            raise RuntimeError(f"a turn ended as {ended}")
        return ended

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request; what the agent asks meanwhile is refused, what it tells is passed over."""
        self._n += 1
        self._say(id=self._n, method=method, params=params)
        while line := await self._out.readline():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if said.get("id") == self._n and "method" not in said:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                result: dict[str, Any] = said["result"]
                return result
            if "method" in said and "id" in said:
                self._say(id=said["id"], error={"code": -32601, "message": "not here"})
        raise RuntimeError(f"the agent ended in {method}")

    def _say(self, **message: Any) -> None:
        self._in.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

"""The harness as the loop sees it: start, prompt, cancel, end. The only module that knows the ACP SDK."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
from acp import schema
from acp.connection import StreamDirection, StreamEvent

LINE = 50 * 1024 * 1024
HARNESS_LOG = 10 * 1024 * 1024
START_S = 120.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How a prompt ended: a stop reason, or the error that came instead."""

    stop_reason: str | None
    error: str | None = None
    died: bool = False


class HarnessDied(Exception):
    """The harness's process is gone, or never answered."""


@dataclass
class Harness:
    """One process of a harness and its ACP connection.

    Every message is handed to `observe(dir, message)` as it crossed the wire, before any validation: the SDK's typed models drop
    fields they do not know. Lines that are no message go to `noise`.
    """

    command: list[str]
    env: dict[str, str]
    cwd: Path
    log: Path
    observe: Callable[[str, Any], None]
    noise: Callable[[str], None]
    mode: str = ""
    info: str = ""
    _process: asyncio.subprocess.Process | None = None
    _connection: Any = None
    _pumps: list[asyncio.Task[None]] = field(default_factory=list)
    _reply: dict[str, Any] = field(default_factory=dict)
    _said: str = ""

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        """The process's id, once it was started."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process and shake hands. Raises HarnessDied."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=self.env,
                cwd=self.cwd,
                limit=LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise HarnessDied(f"{self.command[0]}: {error.strerror}") from None
        lines = asyncio.StreamReader(limit=LINE)
        self._pumps = [asyncio.create_task(self._sort(lines)), asyncio.create_task(self._drain())]
        self._connection = acp.connect_to_agent(_Client(), self._process.stdin, lines, observers=[self._watch])
        hello = await self._ask(
            self._connection.initialize(
                protocol_version=acp.PROTOCOL_VERSION,
                client_info=schema.Implementation(name="agensh-worker", title="Agensh worker", version="1"),
            )
        )
        info = getattr(hello, "agent_info", None)
        self.info = f"{info.name}/{info.version}" if info else Path(self.command[0]).name

    async def open(self, mcp_url: str) -> str:
        """A new session with the team's tools, in the mode the harness wants; its id. Raises HarnessDied."""
        server = schema.HttpMcpServer(type="http", name="team", url=mcp_url, headers=[])
        opened = await self._ask(self._connection.new_session(cwd=str(self.cwd), mcp_servers=[server]))
        session = str(opened.session_id)
        if self.mode:
            await self._ask(self._connection.set_session_mode(session_id=session, mode_id=self.mode))
        return session

    async def prompt(self, session: str, text: str) -> Ending:
        """One turn. Never raises: every way a turn can end is an Ending."""
        self._reply, self._said = {}, ""
        try:
            answer = await self._connection.prompt(
                session_id=session, prompt=[schema.TextContentBlock(type="text", text=text)]
            )
            stop_reason = str(answer.stop_reason)
        except acp.RequestError as error:
            return Ending(None, _explain(error))
        except (ConnectionError, OSError) as error:
            return Ending(None, f"harness died: {error}", died=True)
        except ValueError:  # a stop reason the SDK does not know: the raw answer was observed
            result = self._reply.get("result")
            stop_reason = str((result or {}).get("stopReason") if isinstance(result, dict) else None)
            return Ending(stop_reason)
        # Copilot and Codex end the turn in words where their provider failed: no usage, and a text that starts so.
        if answer.usage is None and stop_reason == "end_turn" and self._said.lstrip().startswith("Error: "):
            return Ending(stop_reason, self._said.strip()[:500])
        return Ending(stop_reason)

    async def cancel(self, session: str) -> None:
        """Ask the agent to end the turn; the pending prompt then returns."""
        try:
            await self._connection.cancel(session_id=session)
        except (ConnectionError, OSError, acp.RequestError):
            pass

    async def end(self, grace: float = 2.0) -> None:
        """Close stdin, wait, SIGTERM, wait, SIGKILL the process group; at most three times `grace` and a little."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        for sign in (signal.SIGTERM, signal.SIGKILL, None):
            # Not unbounded, even after SIGKILL: asyncio waits for the pipes too, and a stray grandchild may hold them.
            try:
                await asyncio.wait_for(process.wait(), grace)
                break
            except TimeoutError:
                if sign is not None:
                    _signal_group(process.pid, sign)
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        try:
            await asyncio.wait_for(self._connection.close(), 2)
        except (TimeoutError, ConnectionError, OSError, AttributeError):
            pass

    async def _ask(self, request: Any) -> Any:
        try:
            return await asyncio.wait_for(request, START_S)
        except acp.RequestError as error:
            raise HarnessDied(_explain(error)) from None
        except (ConnectionError, OSError, TimeoutError, ValueError) as error:
            raise HarnessDied(f"{type(error).__name__}: {error}") from None

    def _watch(self, event: StreamEvent) -> None:
        message = event.message
        incoming = event.direction is StreamDirection.INCOMING
        self.observe("from_agent" if incoming else "to_agent", message)
        if not incoming:
            return
        if isinstance(message.get("result"), dict) and "stopReason" in message["result"]:
            self._reply = message
        params = message.get("params")
        update = params.get("update") if isinstance(params, dict) else None
        if isinstance(update, dict) and update.get("sessionUpdate") == "agent_message_chunk":
            content = update.get("content")
            text = content.get("text") if isinstance(content, dict) else ""
            # Only what came last counts; a chunk that starts an error starts the text anew.
            self._said = str(text) if str(text).lstrip().startswith("Error: ") else (self._said + str(text))[-2000:]

    async def _sort(self, lines: asyncio.StreamReader) -> None:
        """Messages to the SDK, everything else to `noise`."""
        assert self._process is not None
        assert self._process.stdout is not None
        stdout = self._process.stdout
        try:
            while True:
                try:
                    line = await stdout.readline()
                except ValueError:  # longer than any message may be; asyncio has dropped what it held
                    self.noise(f"a line of more than {LINE} bytes was dropped")
                    continue
                if not line:
                    break
                if line.strip() and not _is_message(line):
                    self.noise(line.decode("utf-8", "replace").rstrip("\n"))
                elif line.strip():
                    lines.feed_data(line if line.endswith(b"\n") else line + b"\n")
        finally:
            lines.feed_eof()

    async def _drain(self) -> None:
        """Keep the first 10 MiB of stderr beside the spool; read on behind that, so that the harness never blocks."""
        assert self._process is not None
        assert self._process.stderr is not None
        with self.log.open("ab", buffering=0) as log:
            while chunk := await self._process.stderr.read(1 << 16):
                if log.tell() < HARNESS_LOG:
                    log.write(chunk)


class _Client:
    """What the agent may ask of us: permission, which is granted. Files and terminals are its own."""

    async def request_permission(self, options: Any, session_id: str, tool_call: Any, **_: Any) -> Any:
        wanted = ("allow_always", "allow_once")
        by_kind = {option.kind: option.option_id for option in reversed(options)}
        chosen = next((by_kind[kind] for kind in wanted if kind in by_kind), None)
        if chosen is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Seen by the observer already."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Seen by the observer already."""

    def on_connect(self, conn: Any) -> None:
        """Nothing to keep."""


def _is_message(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _explain(error: acp.RequestError) -> str:
    data = error.data if isinstance(error.data, dict) else {}
    kind = data.get("errorKind") or data.get("codex_error_info") or ""
    return f"{kind or error.code}: {error}"[:500]


def _signal_group(pid: int, sign: int) -> None:
    try:
        os.killpg(pid, sign)
    except (ProcessLookupError, PermissionError):
        pass

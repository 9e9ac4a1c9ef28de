"""The harness as the loop sees it: start, open or resume a session, prompt, cancel, end. The only module that knows the ACP SDK."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
from acp import schema

from worker import permissions
from worker.endings import Ending, answered, refused
from worker.heard import Heard, update_of
from worker.wire import LINE, Message, Wire, drain

START_S = 120.0
GONE = (ConnectionError, OSError)


class HarnessDied(Exception):
    """The harness's process is gone, or never answered."""


class Refused(Exception):
    """The harness answered, and it was no."""


@dataclass
class Harness:
    """One process of a harness and its ACP connection.

    Every message is handed to `observe(dir, message)` as it crossed the wire; what a harness says again while it loads an old session
    goes to `replayed(message)` instead. Lines that are no message go to `noise`. `mode`: the session mode to set, if any.
    """

    command: list[str]
    env: dict[str, str]
    cwd: Path
    log: Path
    observe: Callable[[str, Any], None]
    noise: Callable[[str], None]
    mode: str = ""
    permissions: str = "allow"
    replayed: Callable[[Any], None] = lambda message: None
    info: str = ""
    heard: Heard = field(default_factory=Heard)
    _process: asyncio.subprocess.Process | None = None
    _connection: Any = None
    _stderr: asyncio.Task[None] | None = None
    _can: Any = None
    _loading: bool = False

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
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                env=self.env,
                cwd=self.cwd,
                limit=LINE,
                start_new_session=True,
            )
        except OSError as error:
            raise HarnessDied(f"{self.command[0]}: {error.strerror}") from None
        assert self._process.stderr is not None
        self._stderr = asyncio.create_task(drain(self._process.stderr, self.log))
        client: Any = _Client(self.permissions, self._refuse)
        self._connection = acp.connect_to_agent(client, Wire(self._process, self._hear, self.noise))
        hello = await self._need(
            self._connection.initialize(
                protocol_version=acp.PROTOCOL_VERSION,
                client_info=schema.Implementation(name="agensh-worker", title="Agensh worker", version="1"),
            )
        )
        info = getattr(hello, "agent_info", None)
        self._can = getattr(hello, "agent_capabilities", None)
        self.info = f"{info.name}/{info.version}" if info else Path(self.command[0]).name

    async def open(self, mcp_url: str) -> str:
        """A new session with the team's tools; its id. Raises HarnessDied."""
        opened = await self._need(self._connection.new_session(**self._place(mcp_url)))
        session = str(opened.session_id)
        await self._set_mode(session)
        return session

    async def resume(self, session: str, mcp_url: str) -> bool:
        """Take up a session of an earlier process; False where the harness cannot or will not. Raises HarnessDied."""
        place = {"session_id": session, **self._place(mcp_url)}
        able = getattr(self._can, "session_capabilities", None)
        if getattr(able, "resume", None) is not None:
            ask = self._connection.resume_session(**place)
        elif getattr(self._can, "load_session", False):
            ask = self._connection.load_session(**place)
        else:
            return False
        self._loading = True
        try:
            await self._ask(ask)
        except Refused:
            return False
        finally:
            self._loading = False
        await self._set_mode(session)
        return True

    def _place(self, mcp_url: str) -> dict[str, Any]:
        server = schema.HttpMcpServer(type="http", name="team", url=mcp_url, headers=[])
        return {"cwd": str(self.cwd), "mcp_servers": [server]}

    async def _set_mode(self, session: str) -> None:
        """A mode that the harness does not know is no reason not to work: the wire has its answer."""
        if self.mode:
            with suppress(Refused):
                await self._ask(self._connection.set_session_mode(session_id=session, mode_id=self.mode))

    def prompt(self, session: str, text: str) -> Coroutine[Any, Any, Ending]:
        """One turn. Never raises: every way a turn can end is an Ending. The turn begins, and its silence counts, with this call."""
        self.heard = Heard()
        return self._prompt(session, text)

    async def _prompt(self, session: str, text: str) -> Ending:
        try:
            await self._connection.prompt(session_id=session, prompt=[schema.TextContentBlock(type="text", text=text)])
        except acp.RequestError as error:
            return refused(error.code, str(error), error.data)
        except GONE as error:
            return Ending(None, f"harness died: {error}", died=True)
        except ValueError:
            pass  # an answer that the SDK cannot read: the raw one was heard
        return answered(self.heard.result, self.heard.words, self.heard.refused)

    async def cancel(self, session: str) -> None:
        """Ask the agent to end the turn; the pending prompt then returns."""
        with suppress(*GONE, acp.RequestError):
            await self._connection.cancel(session_id=session)

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
                async with asyncio.timeout(grace):
                    await process.wait()
                break
            except TimeoutError:
                if sign is not None:
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(process.pid, sign)
        if self._stderr is not None:
            self._stderr.cancel()
            await asyncio.gather(self._stderr, return_exceptions=True)
        with suppress(TimeoutError, *GONE, AttributeError):
            async with asyncio.timeout(2):
                await self._connection.close()

    async def _ask(self, request: Any) -> Any:
        """The answer to a request. Raises Refused or HarnessDied."""
        try:
            async with asyncio.timeout(START_S):
                return await request
        except acp.RequestError as error:
            raise Refused(refused(error.code, str(error), error.data).error) from None
        except (*GONE, TimeoutError, ValueError) as error:
            raise HarnessDied(f"{type(error).__name__}: {error}") from None

    async def _need(self, request: Any) -> Any:
        """The answer to a request without which there is no harness. Raises HarnessDied."""
        try:
            return await self._ask(request)
        except Refused as error:
            raise HarnessDied(str(error)) from None

    def _refuse(self) -> None:
        self.heard.refused = True

    def _hear(self, direction: str, message: Message) -> None:
        if self._loading and direction == "from_agent" and update_of(message):
            self.replayed(message)
            return
        self.observe(direction, message)
        if direction == "from_agent":
            self.heard.take(message)


class _Client:
    """What the agent may ask of us: permission, by the policy. Files and terminals are its own."""

    def __init__(self, policy: str, refuse: Callable[[], None]) -> None:
        self._policy, self._refuse = policy, refuse

    async def request_permission(self, options: Any, session_id: str, tool_call: Any, **_: Any) -> Any:
        kinds = {option.option_id: option.kind for option in options}
        option = permissions.chosen(self._policy, [(kind, id) for id, kind in kinds.items()])
        if option is None or kinds[option] in permissions.REFUSALS:
            self._refuse()
        if option is None:
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        return schema.RequestPermissionResponse(outcome=schema.AllowedOutcome(outcome="selected", option_id=option))

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """Heard on the wire already."""

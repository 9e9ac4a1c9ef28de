"""`mini` as an ACP agent: sessions, prompts, cancelling, and what happens as session updates."""

from __future__ import annotations

import asyncio
import re
import secrets
from pathlib import Path
from typing import Any

import acp
from acp import helpers, schema

from worker.mini.kept import Kept
from worker.mini.mcp import McpError, Server
from worker.mini.model import Model, ModelError, Spent
from worker.mini.session import Session
from worker.mini.settings import Settings

FOLDER = Path.home() / ".mini"
NAME = re.compile(r"mini-[0-9a-f]{16}")


class Mini:
    """The agent's side of the connection."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._model = Model(settings)
        self._client: Any = None
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, asyncio.Task[str]] = {}
        self._cancelled: set[str] = set()

    def on_connect(self, conn: Any) -> None:
        """Keep the way back to the client."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        """Say what we are."""
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="mini", title="mini", version="1.0"),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True, mcp_capabilities=schema.McpCapabilities(http=True, sse=False)
            ),
        )

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> Any:
        """A session with the tools of the HTTP servers named."""
        id = f"mini-{secrets.token_hex(8)}"
        await self._begin(id, cwd, mcp_servers)
        return schema.NewSessionResponse(session_id=id)

    async def load_session(self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any) -> Any:
        """A session of an earlier process: its conversation is told again, then it goes on."""
        messages = Kept(FOLDER, session_id).load() if NAME.fullmatch(session_id) else None
        if messages is None:
            raise acp.RequestError.invalid_params({"reason": f"no session {session_id[:80]}"})
        session = await self._begin(session_id, cwd, mcp_servers)
        await session.resume(messages)
        return schema.LoadSessionResponse()

    async def _begin(self, id: str, cwd: str, mcp_servers: Any) -> Session:
        servers = []
        for asked in mcp_servers or []:
            if not isinstance(asked, schema.HttpMcpServer):
                raise acp.RequestError.invalid_params({"reason": "mini speaks to MCP servers over http only"})
            server = Server(str(asked.url), {header.name: header.value for header in asked.headers or []})
            try:
                await server.open()
            except McpError as error:
                raise acp.RequestError(-32603, f"MCP server {asked.name}: {error}") from None
            servers.append(server)

        async def tell(event: str, **facts: Any) -> None:
            await self._client.session_update(session_id=id, update=_update(event, **facts))

        kept = Kept(FOLDER, id)
        self._sessions[id] = Session(self._settings, self._model, Path(cwd), servers, tell, kept)
        return self._sessions[id]

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> Any:
        """One turn. An endpoint that does not answer is an error -32603 with `errorKind`."""
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError.invalid_params({"reason": f"no session {session_id}"})
        if session_id in self._turns:
            raise acp.RequestError.invalid_request({"reason": "a turn is running"})
        text = "\n".join(block.text for block in prompt if isinstance(block, schema.TextContentBlock))
        spent = Spent()
        turn = self._turns[session_id] = asyncio.create_task(session.prompt(text, spent))
        try:
            stop_reason = await turn
        except asyncio.CancelledError:
            if session_id not in self._cancelled:
                raise  # not by session/cancel: the connection is going, nobody waits for an answer
            stop_reason = "cancelled"
        except ModelError as error:
            raise acp.RequestError(-32603, str(error), {"errorKind": error.kind}) from None
        finally:
            self._turns.pop(session_id, None)
            self._cancelled.discard(session_id)
        usage = schema.Usage(
            total_tokens=spent.input + spent.output,
            input_tokens=spent.input,
            output_tokens=spent.output,
            thought_tokens=spent.reasoning,
            cached_read_tokens=spent.cached,
        )
        return schema.PromptResponse(stop_reason=stop_reason, usage=usage)  # type: ignore[arg-type]

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the running turn: its command is killed, its prompt answers `cancelled`."""
        turn = self._turns.get(session_id)
        if turn is not None:
            self._cancelled.add(session_id)
            turn.cancel()


def _update(event: str, **facts: Any) -> Any:
    if event == "user":
        return helpers.update_user_message_text(facts["text"])
    if event == "text":
        return helpers.update_agent_message_text(facts["text"])
    if event == "thought":
        return helpers.update_agent_thought_text(facts["text"])
    if event == "usage":
        return schema.UsageUpdate(session_update="usage_update", used=facts["used"], size=facts["size"])
    if event == "call":
        update = helpers.start_tool_call(
            facts["id"], facts["title"], kind=facts["kind"], status="in_progress", raw_input=facts["arguments"]
        )
        return update.model_copy(update={"field_meta": {"mini": {"toolName": facts["name"]}}})
    content = [helpers.tool_content(helpers.text_block(text)) for text in facts["texts"]]
    return helpers.update_tool_call(
        facts["id"],
        status="failed" if facts["failed"] else "completed",
        content=content,
        raw_output=facts["output"],
    )

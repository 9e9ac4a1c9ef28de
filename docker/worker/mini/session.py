"""One session of `mini`: a conversation, a folder, a shell and a tool server; a prompt runs until the model has nothing more to call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from worker.mini import shell
from worker.mini.history import close_calls, tokens, trim
from worker.mini.kept import Kept, told_again
from worker.mini.mcp import McpError, Server
from worker.mini.model import Answer, Model, ModelError, Spent
from worker.mini.settings import Settings

SYSTEM = (
    "You are a coding agent. You act by calling tools; your working folder is where the shell starts. "
    "Call tools until nothing useful is left to do now, then answer in one or two sentences."
)
READS = ("board_read", "board_grep", "board_unfold", "chat_read", "repo_pulls", "repo_pull")

Tell = Callable[..., Awaitable[None]]


class Session:
    """`tell(event, **facts)` is called for texts, tool calls and their ends, in order."""

    def __init__(
        self, settings: Settings, model: Model, cwd: Path, servers: list[Server], tell: Tell, kept: Kept
    ) -> None:
        self._settings, self._model, self._cwd, self._servers, self._tell = settings, model, cwd, servers, tell
        self._kept = kept
        self._messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
        self._ids: set[str] = set()
        self.tools = [shell.SPEC, *(tool for server in servers for tool in server.tools)]

    async def resume(self, messages: list[dict[str, Any]]) -> None:
        """Go on with a conversation of an earlier process, and tell it again."""
        self._messages = messages
        self._ids = {call["id"] for message in messages for call in message.get("tool_calls") or []}
        for event, facts in told_again(messages):
            await self._tell(event, **facts)

    async def prompt(self, text: str, spent: Spent) -> str:
        """Run one turn; its stop reason. Counts into `spent`. Raises ModelError; a cancelled turn leaves a whole conversation."""
        before = len(self._messages)
        self._messages.append({"role": "user", "content": text})
        try:
            for _ in range(self._settings.most_calls):
                answer = await self._ask()
                spent.add(answer.usage)
                stop_reason = await self._act(answer)
                await self._tell("usage", used=tokens(self._messages), size=self._settings.input_tokens)
                if stop_reason:
                    return stop_reason
            return "max_turn_requests"
        except ModelError:
            if len(self._messages) == before + 1:
                self._messages.pop()  # nothing came of it: the same prompt may be tried again
            raise
        finally:
            close_calls(self._messages, json.dumps({"error": "cancelled"}))
            self._kept.save(self._messages)

    async def _ask(self) -> Answer:
        trim(self._messages, self._settings.input_tokens - min(self._settings.input_tokens // 4, 20_000))
        try:
            return await self._model.complete(self._messages, self.tools)
        except ModelError as error:
            if error.kind != "too_long":
                raise
        trim(self._messages, min(tokens(self._messages), self._settings.input_tokens) // 2)
        return await self._model.complete(self._messages, self.tools)

    async def _act(self, answer: Answer) -> str | None:
        """Say what the model said and do what it asks for; the stop reason if it asks for nothing."""
        if answer.thought:
            await self._tell("thought", text=answer.thought)
        if answer.text:
            await self._tell("text", text=answer.text)
        calls = [call for call in answer.calls if call["name"]]
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if calls:
            message["tool_calls"] = [
                {
                    "id": self._unique(call),
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"] or "{}"},
                }
                for call in calls
            ]
        self._messages.append(message)
        self._kept.save(self._messages)
        for call in message.get("tool_calls", []):
            content = await self._call(call["id"], call["function"]["name"], call["function"]["arguments"])
            self._messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        if calls:
            return None
        return {"length": "max_tokens", "content_filter": "refusal"}.get(answer.finish, "end_turn")

    def _unique(self, call: dict[str, Any]) -> str:
        """A call's id, made unique in the session: endpoints repeat them."""
        wanted = call["id"] or "call"
        name, k = wanted, 1
        while name in self._ids or not name:
            k += 1
            name = f"{wanted}-{k}"
        self._ids.add(name)
        call["id"] = name
        return name

    async def _call(self, id: str, name: str, arguments: str) -> str:
        try:
            asked = json.loads(arguments)
        except ValueError:
            asked = None
        if not isinstance(asked, dict):
            await self._tell("call", id=id, name=name, title=name, kind="other", arguments=arguments)
            fault = {"error": "the arguments are not a JSON object"}
            await self._tell("done", id=id, failed=True, texts=[json.dumps(fault)], output=fault)
            return json.dumps(fault)
        if name == "shell":
            return await self._shell(id, asked)
        await self._tell(
            "call", id=id, name=name, title=name, kind="read" if name in READS else "other", arguments=asked
        )
        texts, failed = await self._remote(name, asked)
        await self._tell("done", id=id, failed=failed, texts=texts, output={"content": texts})
        return "\n".join(texts)

    async def _remote(self, name: str, asked: dict[str, Any]) -> tuple[list[str], bool]:
        for server in self._servers:
            if any(tool["function"]["name"] == name for tool in server.tools):
                try:
                    return await server.call(name, asked)
                except McpError as error:
                    return [json.dumps({"error": str(error)})], True
        return [json.dumps({"error": f"no tool is named {name!r}"})], True

    async def _shell(self, id: str, asked: dict[str, Any]) -> str:
        command, timeout_s = asked.get("command"), asked.get("timeout_s", shell.DEFAULT_S)
        title = title_of(str(command))
        await self._tell("call", id=id, name="shell", title=title, kind="execute", arguments=asked)
        if not isinstance(command, str) or not isinstance(timeout_s, (int, float)):
            result: dict[str, Any] = {"error": "command must be text, timeout_s a number"}
        else:
            try:
                result = await shell.run(command, self._cwd, float(timeout_s))
            except (OSError, ValueError) as error:
                result = {"error": f"the shell did not start: {error}"}
        text = json.dumps(result, ensure_ascii=False)
        await self._tell("done", id=id, failed=result.get("exit_code") != 0, texts=[text], output=result)
        return text


def title_of(command: str) -> str:
    """The line of a command that says what it does: brackets, `set -e` and `cd` at its start do not."""
    lines = [line.strip() for line in command.splitlines() if line.strip()]
    telling = [line for line in lines if line not in ("(", "{") and not line.startswith(("set -", "cd ", "#"))]
    return (telling or lines or ["shell"])[0][:120]

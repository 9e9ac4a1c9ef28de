"""`codex`: OpenAI Codex through its ACP adapter, on any endpoint that speaks the responses API. Pure."""

from __future__ import annotations

import json
from typing import Any

from runs.harnesses.dialect import Dialect, Update, section, whole
from runs.harnesses.packages import Package
from runs.spec import Command, WorkerSpec

NAME = "codex"
DESCRIPTION = "OpenAI Codex through its ACP adapter; the endpoint must speak the responses API."
PACKAGE = Package("@agentclientprotocol/codex-acp", "2.6.0", "@agentclientprotocol/codex-acp/dist/index.js", node=True)
PROVIDER = "agensh"
COMPACT_AT = 0.92  # of the window, so that the summary itself still fits
RESULT_TOKENS = 25_000  # of a tool's result; by itself it cuts the middle out of results over 10 kB, JSON or not


def command(worker: WorkerSpec) -> Command:
    """Its whole configuration travels as JSON; a provider of our own, since OPENAI_BASE_URL alone asks for a login."""
    config: dict[str, Any] = {
        "model": worker.model,
        "model_provider": PROVIDER,
        "model_providers": {
            PROVIDER: {
                "name": "Agensh",
                "base_url": worker.model_url,
                "wire_api": "responses",
                "env_key": "AGENSH_MODEL_TOKEN",
                "request_max_retries": 3,
                "stream_max_retries": 3,
            }
        },
        "model_reasoning_effort": worker.effort,
        "model_context_window": worker.input_tokens,
        "model_auto_compact_token_limit": int(worker.input_tokens * COMPACT_AT),
        "tool_output_token_limit": RESULT_TOKENS,
        "approval_policy": "never" if worker.permissions == "all" else "on-request",
        "sandbox_mode": "danger-full-access" if worker.permissions == "all" else "workspace-write",
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
    }
    env = {
        "CODEX_CONFIG": json.dumps(config, separators=(",", ":")),
        "MODEL_PROVIDER": PROVIDER,
        "AGENSH_MODEL_TOKEN": "{token.model}",
        # In its own mode `agent` another model answers what it asks for.
        "INITIAL_AGENT_MODE": "agent-full-access" if worker.permissions == "all" else "workspace-write",
        "NO_BROWSER": "1",
    }
    return Command(PACKAGE.argv(worker.cli, worker.platform), env)


def _tool(update: Update) -> str:
    asked = section(update.get("rawInput"))
    if isinstance(asked.get("tool"), str) and "server" in asked:
        return str(asked["tool"])
    name = update.get("name")
    return "shell" if name == "exec_command" else str(name or "")


def _exit_code(update: Update) -> int | None:
    code = whole(section(update.get("_meta"), "terminal_exit").get("exit_code"))
    return whole(section(update.get("rawOutput")).get("exit_code")) if code is None else code


DIALECT = Dialect(cached_apart=True, team_prefix="mcp.team.", tool=_tool, exit_code=_exit_code)

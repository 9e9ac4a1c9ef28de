"""`claude`: Claude Code through its ACP adapter, on any endpoint that speaks Anthropic messages. Pure."""

from __future__ import annotations

from runs.harnesses.dialect import Dialect, Update, code_in_words, section
from runs.harnesses.packages import Package
from runs.spec import Command, WorkerSpec

NAME = "claude"
DESCRIPTION = "Claude Code through its ACP adapter; the endpoint must speak Anthropic messages."
# 0.49.0 (Claude Code 2.1.185) and not 0.101.0: it runs within its `engines` on Node 20, Debian's, asks for permission in a new session
# (0.101.0 starts in `auto`, where another model decides), and is 100 MB smaller.
PACKAGE = Package(
    "@agentclientprotocol/claude-agent-acp", "0.49.0", "@agentclientprotocol/claude-agent-acp/dist/index.js", node=True
)
SMALL_WINDOW = 200_000  # a Claude model's window, unless its name ends in `[1m]`


def command(worker: WorkerSpec) -> Command:
    """Every model Claude Code would choose by itself is the run's model: the endpoint may have no other."""
    model = worker.model
    if worker.input_tokens > SMALL_WINDOW and model.startswith(("claude-", "opus", "sonnet")) and "[" not in model:
        model += "[1m]"
    env = {
        "ANTHROPIC_BASE_URL": worker.model_url.removesuffix("/v1"),  # it appends /v1/messages
        "ANTHROPIC_AUTH_TOKEN": "{token.model}",
        "ANTHROPIC_MODEL": model,
        "ANTHROPIC_CUSTOM_MODEL_OPTION": model,
        "ANTHROPIC_SMALL_FAST_MODEL": worker.model,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": worker.model,
        "ANTHROPIC_DEFAULT_SONNET_MODEL": model,
        "ANTHROPIC_DEFAULT_OPUS_MODEL": model,
        "CLAUDE_CODE_SUBAGENT_MODEL": model,
        "CLAUDE_CODE_EFFORT_LEVEL": worker.effort,
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(worker.output_tokens),
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(worker.input_tokens),
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }
    return Command(
        PACKAGE.argv(worker.cli, worker.platform),
        env,
        "bypassPermissions" if worker.permissions == "all" else "default",
    )


def _tool(update: Update) -> str:
    name = section(update.get("_meta"), "claudeCode").get("toolName")
    return "shell" if name == "Bash" else str(name or "")


def _exit_code(update: Update) -> int | None:
    """Claude Code says a code only where it is not 0."""
    code = code_in_words(update)
    done = update.get("status") == "completed" and _tool(update) == "shell"
    return 0 if code is None and done else code


DIALECT = Dialect(cached_apart=True, own_cost=True, team_prefix="mcp__team__", tool=_tool, exit_code=_exit_code)

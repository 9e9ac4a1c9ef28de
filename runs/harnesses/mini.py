"""`mini`: our own minimal ACP coding agent, on any OpenAI-compatible endpoint."""

from __future__ import annotations

import sys

from runs.harnesses.dialect import Dialect, Update, section, whole
from runs.spec import Command, WorkerSpec

NAME = "mini"
DESCRIPTION = "Our own minimal ACP coding agent: one prompt, a shell, the team's tools, any OpenAI-compatible endpoint."


def command(worker: WorkerSpec) -> Command:
    """What the worker's loop starts; it speaks ACP on stdio."""
    env = {
        "AGENSH_MODEL_URL": worker.model_url,
        "AGENSH_MODEL": worker.model,
        "AGENSH_MODEL_TOKEN": "{token.model}",
        "AGENSH_EFFORT": worker.effort,
        "AGENSH_INPUT_TOKENS": str(worker.input_tokens),
        "AGENSH_OUTPUT_TOKENS": str(worker.output_tokens),
    }
    return Command((sys.executable, "-m", "worker.mini"), env)


def _tool(update: Update) -> str:
    return str(section(update.get("_meta"), "mini").get("toolName") or "")


DIALECT = Dialect(tool=_tool, exit_code=lambda update: whole(section(update.get("rawOutput")).get("exit_code")))

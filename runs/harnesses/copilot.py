"""`copilot`: GitHub Copilot CLI on a model endpoint of one's own, offline towards GitHub. Pure."""

from __future__ import annotations

from typing import Any

from runs.harnesses.dialect import Dialect, Update, code_in_words, section, whole
from runs.harnesses.packages import Package
from runs.spec import Command, WorkerSpec

NAME = "copilot"
DESCRIPTION = "GitHub Copilot CLI, with its provider set to the run's endpoint; no GitHub account."
PACKAGE = Package("@github/copilot", "1.0.102", "@github/copilot-{platform}/copilot")


def wire_api(model: str) -> str:
    """GPT-5 models reason across tool calls only over `responses`; every other endpoint is asked for chat completions."""
    return "responses" if model.rpartition("/")[2].lower().startswith("gpt-5") else "completions"


def command(worker: WorkerSpec) -> Command:
    """The native program itself: npm's loader leaves its child behind when it is ended."""
    env = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_WIRE_API": wire_api(worker.model),
        "COPILOT_PROVIDER_BASE_URL": worker.model_url,
        "COPILOT_PROVIDER_BEARER_TOKEN": "{token.model}",
        "COPILOT_MODEL": worker.model,
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": str(worker.input_tokens),
        "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": str(worker.output_tokens),
        # The program unpacks 235 MB at its first start; done once at installation and shared by all workers.
        "XDG_CACHE_HOME": f"{worker.cli}/cache",
    }
    flags = ["--acp", "--reasoning-effort", worker.effort, "--no-auto-update", "--disable-builtin-mcps"]
    # What is not allowed must be denied beforehand: Copilot ends the whole turn when a permission it asks for is refused.
    flags += ["--allow-all"] if worker.permissions == "all" else []
    return Command((*PACKAGE.argv(worker.cli, worker.platform), *flags), env)


def _tool(update: Update) -> str:
    """A title that is one word is the tool's name; any other is about its arguments."""
    title = update.get("title")
    return title if isinstance(title, str) and update.get("kind") != "execute" and " " not in title else ""


def _exit_code(update: Update) -> int | None:
    contents: Any = section(update.get("rawOutput")).get("contents")
    for part in contents if isinstance(contents, list) else []:
        if section(part).get("type") == "shell_exit" and (code := whole(part.get("exitCode"))) is not None:
            return code
    return code_in_words(update)


DIALECT = Dialect(usage_scope="session", team_prefix="team-", guesses=True, tool=_tool, exit_code=_exit_code)

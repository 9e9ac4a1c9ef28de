"""What `mini` is told by its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

INPUT_TOKENS, OUTPUT_TOKENS, MOST_CALLS = 272_000, 128_000, 400


class BadSettings(ValueError):
    """The environment cannot be used; the message names the variable."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Endpoint, model, effort, and the limits of one model request and of one turn."""

    base_url: str
    model: str
    token: str = field(default="", repr=False)
    effort: str = ""
    input_tokens: int = INPUT_TOKENS
    output_tokens: int = OUTPUT_TOKENS
    most_calls: int = MOST_CALLS
    idle_s: float = 600.0

    @classmethod
    def read(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """From `AGENSH_MODEL_URL`, `AGENSH_MODEL`, `AGENSH_MODEL_TOKEN`, `AGENSH_EFFORT`, `AGENSH_INPUT_TOKENS`,
        `AGENSH_OUTPUT_TOKENS`, `AGENSH_MOST_CALLS`. Raises BadSettings."""
        url, model = env.get("AGENSH_MODEL_URL", ""), env.get("AGENSH_MODEL", "")
        if not url.startswith(("http://", "https://")):
            raise BadSettings("AGENSH_MODEL_URL must be the http address of an OpenAI-compatible endpoint")
        if not model:
            raise BadSettings("AGENSH_MODEL is missing")
        return cls(
            url.rstrip("/"),
            model,
            env.get("AGENSH_MODEL_TOKEN", ""),
            env.get("AGENSH_EFFORT", ""),
            _count(env, "AGENSH_INPUT_TOKENS", INPUT_TOKENS),
            _count(env, "AGENSH_OUTPUT_TOKENS", OUTPUT_TOKENS),
            _count(env, "AGENSH_MOST_CALLS", MOST_CALLS),
        )


def _count(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "")
    if not text:
        return default
    if not text.isdecimal() or int(text) == 0:
        raise BadSettings(f"{name} must be a number above zero, not {text!r}")
    return int(text)

"""What of an agent's command and environment is known only when it starts: the tools' address, and tokens, which no file of the run holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

_PLACE = re.compile(r"\{(mcp\.url|mcp\.port|token\.[a-z]+)\}")


def filled(text: str, mcp_url: str, token: Callable[[str], str]) -> str:
    """The text with `{mcp.url}`, `{mcp.port}` and `{token.SERVICE}` filled in; other braces stay as they are."""

    def value(found: re.Match[str]) -> str:
        kind, _, name = found[1].partition(".")
        if kind == "token":
            return token(name) or "none"  # an agent takes an empty key for a missing login
        return mcp_url if name == "url" else str(urlsplit(mcp_url).port or "")

    return _PLACE.sub(value, text)


def filled_all(env: Mapping[str, str], mcp_url: str, token: Callable[[str], str]) -> dict[str, str]:
    """An environment with every value filled in."""
    return {name: filled(value, mcp_url, token) for name, value in env.items()}

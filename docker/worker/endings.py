"""How a turn ended, from the answer as it crossed the wire: what each harness does where its model fails. Pure.

| harness | a turn that failed looks like |
|---|---|
| copilot | `end_turn` without usage, the last text begins with `Error: ` |
| codex | `end_turn` with `_meta.quota.token_count: null`; a refused key is error -32000 |
| claude, mini | a JSON-RPC error -32603 with `data.errorKind` |
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SAID = 500  # characters of an error that are kept
# Words of an error that the same session would meet again: it holds more than the model takes.
_FULL = re.compile(
    r"context.?(length|window)|too.?long|too many tokens|maximum.{0,20}(context|tokens)|max_output_tokens", re.I
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a prompt ended. `error`: the turn failed. `died`: with it the harness. `full`: this session cannot go on, another can.
    `refused`: it stopped at a permission that was refused, in the middle of its work."""

    stop_reason: str | None
    error: str | None = None
    died: bool = False
    full: bool = False
    refused: bool = False


def answered(result: object, said: str, denied: bool = False) -> Ending:
    """The ending that a prompt's `result` tells; `said` is the last the agent wrote in the turn; `denied`: it was refused a permission
    and did nothing since, which is how Copilot ends a turn."""
    result = result if isinstance(result, Mapping) else {}
    stop_reason = str(result.get("stopReason") or "none")
    if stop_reason == "end_turn" and _failed(result, said):
        error = said.strip()[:SAID] or "the turn ended without a word and without tokens"
        return Ending(stop_reason, error, full=_FULL.search(error) is not None)
    return Ending(stop_reason, refused=denied)


def refused(code: int, message: str, data: Any) -> Ending:
    """The ending that a JSON-RPC error tells."""
    data = data if isinstance(data, Mapping) else {}
    kind = data.get("errorKind") or data.get("codex_error_info") or data.get("details") or code
    error = f"{kind if isinstance(kind, str) else code}: {message}"[:SAID]
    return Ending(None, error, full=_FULL.search(error) is not None)


def _failed(result: Mapping[str, Any], said: str) -> bool:
    if result.get("usage") is not None:
        return False
    quota = _map(_map(result.get("_meta")).get("quota"))
    return said.lstrip().startswith("Error: ") or ("token_count" in quota and quota["token_count"] is None)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

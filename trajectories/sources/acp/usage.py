"""Tokens and cost as each agent counts them, made one: input includes cached, output includes reasoning. Pure.

Whether figures are the prompt's or the session's so far is the agent's dialect. Where the cached part is beside the input it shows in the total,
which is the sum of all parts; without a total the dialect decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from runs.harnesses import dialect
from trajectories.sources.acp.item import Item


def usage_of(item: Item, usage: object) -> dict[str, Any] | None:
    """The fields of `usage.reported` from a PromptResponse's usage; None if it has none."""
    spoken = dialect(item.harness)
    if not isinstance(usage, dict):
        return None
    read, written = _count(usage, "cachedReadTokens") or 0, _count(usage, "cachedWriteTokens") or 0
    total, given, output = (_count(usage, name) for name in ("totalTokens", "inputTokens", "outputTokens"))
    if given is None and output is None:
        return None
    if total is not None and given is not None and read + written:
        apart = total == given + (output or 0) + read + written
    else:
        apart = total is None and spoken.cached_apart
    return {
        "session": item.session,
        "scope": spoken.usage_scope,
        "input_tokens": given + read + written if apart and given is not None else given,
        "cached_tokens": read,
        "output_tokens": output,
        "reasoning_tokens": _count(usage, "thoughtTokens"),
        "cost_microusd": None,
    }


def cost_of(cost: object) -> int | None:
    """Millionths of a dollar from `{amount, currency}`; None for no cost, another currency or nonsense."""
    if not isinstance(cost, dict) or cost.get("currency") != "USD" or isinstance(cost.get("amount"), bool):
        return None
    try:
        amount = Decimal(str(cost.get("amount")))
    except InvalidOperation:
        return None
    return int((amount * 1_000_000).to_integral_value()) if amount.is_finite() and 0 <= amount < 10**9 else None


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None

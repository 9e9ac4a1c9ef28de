"""What a request costs: a table of prices with dates, whole micro-dollars per million tokens. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from gateway.usage import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """One model's prices from a day on (UTC), in micro-dollars per million tokens.

    `input` is for tokens that were neither read from nor written to the model's cache.
    """

    model: str
    valid_from: str
    input: int
    cached: int
    cache_write: int
    output: int


def prices_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Price, ...]:
    """The table of a configuration, oldest first. Raises KeyError, ValueError or TypeError for a row that is none."""
    made = [
        Price(
            model=str(row["model"]),
            valid_from=datetime.fromisoformat(str(row["valid_from"])).date().isoformat(),
            input=int(row["input"]),
            cached=int(row["cached"]),
            cache_write=int(row["cache_write"]),
            output=int(row["output"]),
        )
        for row in rows
    ]
    return tuple(sorted(made, key=lambda price: price.valid_from))


def price_at(prices: Iterable[Price], model: str, at: int) -> Price | None:
    """The price that held at `at` (ms since the epoch), or None. `prices` oldest first."""
    day = datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
    return max(
        (price for price in prices if price.model == model and price.valid_from <= day),
        key=lambda price: price.valid_from,
        default=None,
    )


def cost_microusd(price: Price | None, usage: Usage) -> int | None:
    """Rounded half up to whole micro-dollars; None where the price or the usage is unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    written = min(usage.written_tokens or 0, usage.input_tokens - cached)
    fresh = usage.input_tokens - cached - written
    total = fresh * price.input + cached * price.cached + written * price.cache_write
    return (total + usage.output_tokens * price.output + MILLION // 2) // MILLION

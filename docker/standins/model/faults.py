"""Faults in front of the model, for tests of retries and deadlines. The only part that may count requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from standins.model.draw import draw


@dataclass
class Faults:
    """Shares of requests that fail: `rate_429`, `rate_500`, `rate_hang` (no answer for `hang_s`)."""

    rates: dict[str, float] = field(default_factory=dict)
    hang_s: float = 60.0
    seed: str = ""
    count: int = 0

    @classmethod
    def read(cls, config: dict[str, Any], seed: str) -> Faults:
        given = config.get("faults") or {}
        rates = {kind: float(given.get(f"rate_{kind}") or 0) for kind in ("429", "500", "hang")}
        return cls(rates, float(given.get("hang_s") or 60.0), seed)

    def next(self) -> str | None:
        """The fault of the next request, if any."""
        self.count += 1
        luck = draw(self.seed, "fault", self.count)
        for kind, rate in self.rates.items():
            if luck < rate:
                return kind
            luck -= rate
        return None

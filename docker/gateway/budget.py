"""A run's budget in money and tokens: open, near (90 %) or spent. Pure."""

from __future__ import annotations

from dataclasses import dataclass

NEAR_PPM = 900_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits; 0 = none."""

    microusd: int = 0
    tokens: int = 0

    def share_ppm(self, microusd: int, tokens: int) -> int:
        """How much is spent of the limit that is nearer, in millionths; 0 without limits."""
        shares = [
            spent * 1_000_000 // limit for spent, limit in ((microusd, self.microusd), (tokens, self.tokens)) if limit
        ]
        return max(shares, default=0)

    def state(self, microusd: int, tokens: int) -> str:
        """open, near or spent. Spent is spent: what was under way then is the most by which it can be overdrawn."""
        share = self.share_ppm(microusd, tokens)
        return "spent" if share >= 1_000_000 else "near" if share >= NEAR_PPM else "open"

    def words(self) -> str:
        """The limits, for people and models."""
        parts = [f"${self.microusd / 1e6:,.2f}"] if self.microusd else []
        return " or ".join([*parts, *([f"{self.tokens:,} tokens"] if self.tokens else [])])

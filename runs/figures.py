"""How pages write figures: short numbers, clocks, money, shares; unknown is said, never shown as zero. Pure but for `origin_tags`."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any


def known(value: Any) -> bool:
    """True for a number. An imported spec may hold anything; what is no number is unknown."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def short_number(value: int | float | None) -> str:
    """`420 k`, `1.2 M`, `7`; `unknown` for None."""
    if value is None or not known(value):
        return "unknown"
    for limit, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if abs(value) >= limit:
            scaled = value / limit
            text = f"{scaled:.0f}" if scaled >= 100 else f"{scaled:.1f}".removesuffix(".0")
            return f"{text} {unit}"
    return f"{value:,.0f}"


def clock(seconds: int | float | None) -> str:
    """`02:08`, from an hour on `5:58:12`; `unknown` for None."""
    if seconds is None or not known(seconds):
        return "unknown"
    whole = int(seconds)
    sign, whole = ("-", -whole) if whole < 0 else ("", whole)
    hours, rest = divmod(whole, 3600)
    minutes, secs = divmod(rest, 60)
    return f"{sign}{hours}:{minutes:02}:{secs:02}" if hours else f"{sign}{minutes:02}:{secs:02}"


def calendar(moment: datetime | None) -> str:
    """`2026-11-30 11:08 UTC`; `unknown` for None."""
    return "unknown" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def span(seconds: int | None) -> str:
    """A length in words a form also reads: `6 h`, `45 min`, `20 s`."""
    if seconds is None or not known(seconds):
        return "unknown"
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def money(microusd: int | None) -> str:
    """`$0.00`, `$1,140`; `unknown` for None."""
    if microusd is None:
        return "unknown"
    dollars = microusd / 1_000_000
    return f"${dollars:,.0f}" if dollars >= 1000 else f"${dollars:,.2f}"


def per_million(microusd: int) -> str:
    """Dollars a million tokens, as short as they are exact: `0.5`, `3.125`, `20`."""
    return (
        f"{Decimal(microusd) / 1_000_000:f}".rstrip("0").rstrip(".")
        if microusd % 1_000_000
        else f"{microusd // 1_000_000}"
    )


def per_cent(ppm: int | None) -> str:
    """`71.9 %` of parts per million; `unknown` for None."""
    return "unknown" if ppm is None else f"{ppm / 10_000:.1f} %"


def points(ppm: int | None) -> str:
    """A difference of shares: `+21.2`, `-0.3`; `unknown` for None."""
    return "unknown" if ppm is None else f"{ppm / 10_000:+.1f}"


_TONES = {"working": "active", "nudged": "warn", "stalled": "odd", "dead": "bad"}


def tone(status: str) -> str:
    """The status colour of a worker's status."""
    return _TONES.get(status, "quiet")


def harness_counts(spec: dict[str, Any]) -> dict[str, int | None]:
    """Who works: counts by harness; an imported spec may only name them."""
    found = spec.get("harnesses") or {}
    if isinstance(found, dict):
        return {str(name): count if isinstance(count, int) else None for name, count in found.items()}
    return {
        str(name): None for name in ([found] if isinstance(found, str) else found if isinstance(found, list) else [])
    }


def harness_words(spec: dict[str, Any]) -> str:
    """`mini, scripted`: who works and on what, in few words."""
    counts = harness_counts(spec)
    names = [name if count is None or len(counts) == 1 else f"{count} {name}" for name, count in counts.items()]
    return ", ".join([*names, str(spec.get("model") or "model unknown")])


def origin_tags(run: Any) -> list[str]:
    """`simulated`, `imported`, `scripted model`, `stand-ins: forge, chat`, `not isolated`: whatever is true of the run."""
    tags = [run.origin] if run.origin != "recorded" else []
    if run.scripted:
        tags.append("scripted model")
    standins = run.endpoints.get("standins") or run.provenance.get("standins") or run.spec.get("standins")
    if isinstance(standins, list) and standins:
        tags.append(f"stand-ins: {', '.join(str(name) for name in standins[:4])}")
    kept = run.provenance.get("isolation")
    if isinstance(kept, dict) and "not isolated" in kept.values():
        tags.append("not isolated")
    if run.spec.get("peers") is False:
        tags.append("baseline")
    return tags

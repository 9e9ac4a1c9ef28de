"""The gateway's configuration file, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.prices import Price, prices_of

AUTHS = ("bearer", "x-api-key", "api-key", "none")


class BadSettings(ValueError):
    """A key of the file cannot be used; the message names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run's gateway is told. It is given the *path* of the model's key, never the key.

    `endpoint` is the base of the model's API (it ends where `/chat/completions` begins); instead of it `endpoint_file` names the
    ready file of a service that may come up later. `most_at_once` 0 = no cap; budgets 0 = none. Times in seconds.
    """

    data_dir: Path
    tokens_file: Path
    model: str
    endpoint: str = ""
    endpoint_file: Path | None = None
    key_file: Path | None = None
    auth: str = "bearer"
    other_models: bool = False
    strip: tuple[str, ...] = ()
    prices: tuple[Price, ...] = ()
    most_at_once: int = 0
    budget_microusd: int = 0
    budget_tokens: int = 0
    tries: int = 4
    idle_s: float = 600.0
    longest_pause_s: float = 60.0
    ingest_url: str = ""

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> Settings:
        """From the file's keys. Raises BadSettings."""
        endpoint, file = str(config.get("endpoint") or ""), config.get("endpoint_file")
        if not endpoint.startswith(("http://", "https://")) and not file:
            raise BadSettings("endpoint must be an http(s) address, or endpoint_file the ready file of one")
        auth = str(config.get("auth") or "bearer")
        if auth not in AUTHS:
            raise BadSettings(f"auth is {auth!r}; it must be one of {', '.join(AUTHS)}")
        try:
            return cls(
                data_dir=Path(config["data_dir"]),
                tokens_file=Path(config["tokens_file"]),
                model=str(config["model"]),
                endpoint=endpoint.rstrip("/"),
                endpoint_file=Path(file) if file else None,
                key_file=Path(config["key_file"]) if config.get("key_file") else None,
                auth=auth,
                other_models=bool(config.get("other_models")),
                strip=tuple(str(name) for name in config.get("strip") or ()),
                prices=prices_of(config.get("prices") or ()),
                most_at_once=_count(config, "most_at_once"),
                budget_microusd=_count(config, "budget_microusd"),
                budget_tokens=_count(config, "budget_tokens"),
                tries=max(1, _count(config, "tries", 4)),
                idle_s=float(config.get("idle_s") or 600),
                longest_pause_s=float(config.get("longest_pause_s") or 60),
                ingest_url=str(config.get("ingest_url") or ""),
            )
        except (TypeError, ValueError, KeyError) as fault:
            raise BadSettings(str(fault)) from None


def _count(config: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = config.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadSettings(f"{name} must be a whole number, 0 or more")
    return value

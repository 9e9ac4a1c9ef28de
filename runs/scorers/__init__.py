"""Scorers by name. Each module promises `score(task, repository, commit, limits) -> dict` and needs no Django."""

from __future__ import annotations

from types import ModuleType

from runs.scorers import suite

SCORERS: dict[str, ModuleType] = {"suite": suite}

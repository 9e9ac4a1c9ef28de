"""Agensh Web: wiring only. `runs` launches teams, `trajectories` listens to them."""

from __future__ import annotations

from agensh_web.celery import app as celery_app

__all__ = ["celery_app"]
__version__ = "0.1.0"

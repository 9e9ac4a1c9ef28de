"""The app that listens: from raw deliveries to State, replay and pages."""

from __future__ import annotations

from django.apps import AppConfig


class TrajectoriesConfig(AppConfig):
    """Trajectories: what was seen and what it means."""

    name = "trajectories"
    default_auto_field = "django.db.models.BigAutoField"

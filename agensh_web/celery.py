"""The Celery application. Messages are wake-ups: each may be lost or doubled; the tick re-drives what is due."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, heartbeat_sent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agensh_web.settings")

app = Celery("agensh_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _alive(**told: Any) -> None:
    """A worker's heartbeat, and beat's every wake-up: the health check of its container looks how old the file is."""
    if file := os.environ.get("AGENSH_ALIVE_FILE"):
        Path(file).touch()


heartbeat_sent.connect(_alive, weak=False)
before_task_publish.connect(_alive, weak=False)

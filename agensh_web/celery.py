"""The Celery application. Messages are wake-ups: each may be lost or doubled; the tick re-drives what is due."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agensh_web.settings")

app = Celery("agensh_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

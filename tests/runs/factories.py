"""Rows for tests of runs: plain functions."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from runs.access import give_role
from runs.models import Run, Worker
from runs.models.worker import worker_name
from runs.presets import PRESETS
from runs.validation import parse_spec


def make_person(name: str, role: str | None) -> User:
    person = User.objects.create_user(name)
    if role:
        give_role(person, role)
    return person


def make_run(slug: str = "demo-1", status: str = "draft", **more: Any) -> Run:
    spec = parse_spec({"task": "rill"}, PRESETS["demo"].spec).as_dict()
    return Run.objects.create(slug=slug, name=slug, status=status, spec=spec, task="rill", scripted=True, **more)


def make_worker(run: Run, n: int = 1, **more: Any) -> Worker:
    defaults = {"name": worker_name(n), "harness": "mini", "model": "scripted", "status": "alive", "life": 1}
    return Worker.objects.create(run=run, n=n, **{**defaults, **more})

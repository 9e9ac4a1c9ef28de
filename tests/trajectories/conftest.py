"""The first fixture run, imported, and a viewer who is signed in."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.access import give_role
from runs.models import Run
from trajectories.bundle import import_bundle

BUNDLE = Path(__file__).resolve().parents[1] / "fixtures" / "bundles" / "first_run"


@pytest.fixture
def run(db: None) -> Run:
    import_bundle(BUNDLE)
    return Run.objects.get(slug="first-run")


@pytest.fixture
def eve(db: None, client: Client) -> Client:
    person = User.objects.create_user("eve")
    give_role(person, "viewer")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client

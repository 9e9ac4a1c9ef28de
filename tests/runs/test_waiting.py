"""`launch_run --wait` waits where somebody drives runs: `up` on this data folder, or a production stack."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError

from runs.management.commands import launch_run
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def ends_after_a_look(monkeypatch: pytest.MonkeyPatch) -> Run:
    run = Run.objects.create(slug="waited-for", name="Waited for", status="running", phase="running")

    def a_moment_later(_: float) -> None:
        Run.objects.filter(pk=run.pk).update(status="ended", phase="ended")

    monkeypatch.setattr(launch_run.time, "sleep", a_moment_later)
    return run


def test_a_command_inside_a_production_stack_waits_to_the_end(ends_after_a_look: Run, settings: Any) -> None:
    settings.APP_URL = "http://web:8000"
    launch_run.Command()._wait(ends_after_a_look, quiet=True)
    assert ends_after_a_look.status == "ended"


def test_nobody_waits_for_an_app_that_is_gone(ends_after_a_look: Run, settings: Any) -> None:
    settings.APP_URL = ""
    with pytest.raises(CommandError, match="goes on when it is started again"):
        launch_run.Command()._wait(ends_after_a_look, quiet=True)

"""A run that listens to a service as the app does: outbox, store, derive; what it heard is asked by the public command."""

from __future__ import annotations

import io
import json
import time
from typing import Any

from django.core.management import call_command
from django.utils import timezone

from runs.models import Run, Worker
from trajectories.derive import settle
from trajectories.listening import Listener
from trajectories.models import Feed
from trajectories.replay import state


class Heard:
    """One run and its ears."""

    def __init__(self, slug: str, endpoints: dict[str, Any], roster: list[dict[str, Any]]) -> None:
        self.run = Run.objects.create(
            slug=slug, name=slug, status="running", endpoints=endpoints, started_at=timezone.now()
        )
        for n, ids in enumerate(roster, 1):
            name = f"w{n:04d}"
            worker = Worker.objects.create(run=self.run, n=n, name=name, harness="mini", model="scripted", **ids)
            worker.enrol()
        self.run.record("run.started", duration_s=3600)
        self.listener = Listener(self.run.pk)
        self.seen = 0

    def hear(self, source: str, quiet_s: float = 0.6, within_s: float = 60.0) -> list[dict[str, Any]]:
        """Listen until the source has answered and had nothing new for a while; the events since the last call, by time."""
        end, last, quiet = time.monotonic() + within_s, -1, time.monotonic()
        while time.monotonic() < end:
            self.listener.turn()
            count = Feed.objects.get(run=self.run, source=source).deliveries
            poller = self._poller(source)
            if count != last or poller.asked is not None or not poller.is_empty:
                last, quiet = count, time.monotonic()
            elif time.monotonic() - quiet > quiet_s:
                break
            time.sleep(0.1)
        found = self.events(source)
        new, self.seen = found[self.seen :], len(found)
        return sorted(new, key=lambda event: (event["at"], event["n"]))

    def _poller(self, source: str) -> Any:
        return next(each for each in self.listener.pollers if each.name == source)

    def again(self) -> None:
        """The app starts anew and has lost what it knew of the outboxes: everything is read again."""
        Feed.objects.filter(run=self.run).exclude(source="run").update(cursor="null")
        self.listener = Listener(self.run.pk)

    def fault(self, source: str) -> str:
        """What the page says is wrong with a source; empty if nothing is."""
        self.listener.turn()
        self._poller(source).keep()
        return str(Feed.objects.get(run=self.run, source=source).error)

    def events(self, source: str) -> list[dict[str, Any]]:
        """`manage.py run_events`: what was stored, in order of arrival."""
        out = io.StringIO()
        call_command("run_events", self.run.slug, "--jsonl", stdout=out)
        return [each for line in out.getvalue().splitlines() if (each := json.loads(line))["source"] == source]

    def state(self) -> dict[str, Any]:
        """`run_state` as it stands, after holding the live fold against a fold of everything from the start."""
        self.listener.turn()
        live = state(self.run.pk)
        settle(self.run.pk, "")
        settled = state(self.run.pk)
        assert settled["hash"] == live["hash"], "what was folded as it came is not what all of it folds to"
        return settled

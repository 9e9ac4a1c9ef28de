"""`manage.py run_report RUN`: what the pages Summary, Team, Claims and Behaviours say of a run."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from runs.models import Run
from runs.templatetags.agent_text import visible
from trajectories import readings
from trajectories.briefing import briefed
from trajectories.joined.pages import told_of
from trajectories.management.runs import named_run
from trajectories.newest import Newest, newest

VIEWS = ("summary", "team", "behaviours", "claims", "pulls")
ROWS = ("claims", "pulls", "workers")


class Command(BaseCommand):
    """Print one view of a run."""

    help = "A run in plain sentences (summary), or a view of it as JSON: team, behaviours, claims."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument(
            "--view", default="summary", help=f"{', '.join(VIEWS)}, or a row: claims/12, pulls/3, workers/7"
        )
        parser.add_argument(
            "--json", action="store_true", help="JSON also for the summary; the other views are always JSON"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        run = named_run(options["run"])
        table, _, key = options["view"].partition("/")
        if options["view"] not in VIEWS and not (table in ROWS and key.isascii() and key.isdigit() and len(key) < 19):
            raise CommandError(
                f"--view: {options['view']!r} is none of {', '.join(VIEWS)}, claims/N, pulls/N, workers/N", returncode=2
            )
        told = view(newest(run), run, options["view"])
        if options["view"] != "summary" or options["json"]:
            self.stdout.write(json.dumps(told))
            return
        for section in told["sections"]:
            self.stdout.write(f"\n{section['title']}")
            for statement in section["statements"]:
                proof = f"  [{', '.join(statement['refs'][:3])}]" if statement["refs"] else ""
                self.stdout.write(f"  {visible(statement['text'])}{proof}")


def view(found: Newest, run: Run, name: str) -> dict[str, Any]:
    """The same answer as the API's."""
    table, _, key = name.partition("/")
    if key:
        try:
            return told_of(found, table, int(key))
        except Http404 as missing:
            raise CommandError(f"--view: {missing}", returncode=2) from None
    if name == "team":
        return readings.team(found)
    if name == "behaviours":
        return readings.behaviours(found)
    if name == "claims":
        told = readings.claims(found)
        return {**told, "lines": [readings.claim_line(found, row) for row in told["lines"]]}
    if name == "pulls":
        told = readings.pulls(found)
        return {**told, "lines": [readings.pull_line(found, row) for row in told["lines"]]}
    return {"sections": briefed(run, found)[0]}

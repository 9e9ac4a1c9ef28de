"""`manage.py run_events RUN`: the events in order of arrival, one JSON object a line."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from trajectories.listed import events
from trajectories.management.runs import named_run

PAGE = 2_000


class Command(BaseCommand):
    """Print the events of a run."""

    help = "The events of a run, in order of arrival."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("--kind", default="", help="a kind such as pull.merged, or pull.* for all of a noun")
        parser.add_argument("--worker", type=int, help="a worker's number")
        parser.add_argument("--jsonl", action="store_true", help="JSON lines; without it, a short line each")

    def handle(self, *args: Any, **options: Any) -> None:
        run, after = named_run(options["run"]), 0
        while page := events(run.pk, after, PAGE, options["kind"], options["worker"]):
            for event in page:
                short = f"{event['n']:6} {event['at']} {event['kind']:20} {event['worker'] or event['actor'] or ''}"
                self.stdout.write(json.dumps(event) if options["jsonl"] else short)
            after = page[-1]["n"]

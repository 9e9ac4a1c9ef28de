"""`manage.py rederive RUN`: fold the stored events again, into a new generation of changes, keyframes and timeline; put up the search index anew."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from trajectories import indexes
from trajectories.briefing import keep
from trajectories.derive import settle
from trajectories.ingest.reparse import reparse
from trajectories.management.runs import named_run


class Command(BaseCommand):
    """Make all derived rows of a run again."""

    help = "Derive a run again from its stored events."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("--parse", action="store_true", help="parse the stored deliveries again first")

    def handle(self, *args: Any, **options: Any) -> None:
        run = named_run(options["run"])
        if options["parse"]:
            self.stdout.write(f"{run.slug}: {reparse(run.pk)} events")
        self.stdout.write(f"{run.slug}: state {settle(run.pk)}")
        indexes.again(run.pk)
        keep(run.pk)

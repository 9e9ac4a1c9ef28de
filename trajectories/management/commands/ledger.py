"""`manage.py ledger RUN`: what the run's outboxes hold against what is stored. Exit code 1 if anything was lost or doubled; while a run goes on nothing is lost yet."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.http import Http404

from runs.access import find_run
from runs.folder import RunFolder
from runs.models import FINAL
from trajectories.ledger import count, ledger
from trajectories.sources.outbox import OutboxUnread


class Command(BaseCommand):
    help = "Compare the ids in a local run's outboxes with the stored deliveries."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("--json", action="store_true")
        parser.add_argument(
            "--keep", action="store_true", help="write the answer into the run's provenance, print nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run = find_run(options["run"])
        except Http404 as problem:
            raise CommandError(f"run: {problem}", returncode=2) from problem
        folder = RunFolder.of(run.slug).path
        if not folder.exists():
            raise CommandError(
                f"run: {run.slug} has no folder here; only local runs have outboxes to compare", returncode=2
            )
        if options["keep"]:
            count(run, folder)
            return
        try:
            found = ledger(run, folder)
        except OutboxUnread as problem:
            raise CommandError(f"run: an outbox cannot be counted any more: {problem}", returncode=2) from problem
        going = run.status not in FINAL  # what a run that goes on has just said is not lost, only not read yet
        if options["json"]:
            self.stdout.write(json.dumps(found, indent=1))
        else:
            for name, row in found.items():
                rest = f"{'not read yet' if going else 'lost'} {row['lost']} doubled {row['doubled']}"
                self.stdout.write(f"{name:11} outbox {row['outbox']:6} stored {row['stored']:6} {rest}")
        wrong = [name for name, row in found.items() if row["doubled"] or (row["lost"] and not going)]
        if wrong:
            raise CommandError(f"lost or doubled: {', '.join(wrong)}", returncode=1)

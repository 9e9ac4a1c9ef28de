"""`manage.py import_run PATH`: bring a bundle in. Exit 2 when its structure is wrong; bad lines are counted and listed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trajectories.bringing import bring_in
from trajectories.bundle import BadBundle, import_bundle
from trajectories.bundle.importing import Busy
from trajectories.models import ImportJob

WIDTH = 30
WORDS = {"storing": "stored", "deriving": "derived", "done": "done"}


class Command(BaseCommand):
    """Import a run bundle, a `.agrun.zip` or the same layout as a folder."""

    help = "Import a run bundle (.agrun.zip or folder). Can be repeated; one that was killed goes on where it was."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, nargs="?")
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")
        parser.add_argument("--job", type=int, help="do an import that was asked for on a page")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["job"] is not None:
            self._job(options["job"])
            return
        if options["path"] is None:
            raise CommandError("path: name a bundle, NAME.agrun.zip or a folder", returncode=2)
        try:
            done = import_bundle(options["path"], told=self._bar)
        except (BadBundle, Busy) as problem:
            raise CommandError(f"path: {problem}", returncode=2) from None
        answer = done.as_json()
        if options["json"]:
            self.stdout.write(json.dumps(answer))
            return
        self.stdout.write(
            f"{answer['run']}: {answer['stored']} deliveries stored, {answer['duplicates']} known before, "
            f"{answer['rejected']} lines rejected, {answer['events']} new events, state {answer['hash'][:12]}"
        )
        for row in answer["rejections"]:
            self.stderr.write(f"{row['source']} line {row['line']}: {row['reason']}")

    def _job(self, pk: int) -> None:
        job = ImportJob.objects.filter(pk=pk).first()
        if job is None:
            raise CommandError(f"--job: there is no import {pk}", returncode=2)
        bring_in(job)

    def _bar(self, job: ImportJob) -> None:
        """A bar on a terminal, nothing in a file."""
        if not self.stderr.isatty():
            return
        share = job.per_cent or 0
        full = "#" * (share * WIDTH // 100)
        self.stderr.write(f"\r[{full:.<{WIDTH}}] {share:3d} % {WORDS.get(job.phase, job.phase):8}", ending="")
        if job.over:
            self.stderr.write("")

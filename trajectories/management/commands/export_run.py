"""`manage.py export_run RUN PATH`: write a run's bundle."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trajectories.bundle import export_bundle
from trajectories.management.runs import named_run


class Command(BaseCommand):
    """Export a run as a bundle."""

    help = "Write a run's bundle: a zip if PATH ends in .zip, else a folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("path", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        run = named_run(options["run"])
        try:
            count = export_bundle(run, options["path"])
        except OSError as problem:
            raise CommandError(
                f"path: {options['path']}: {problem.strerror or problem}; name a new file in a folder you may write to",
                returncode=2,
            ) from None
        self.stdout.write(f"{run.slug}: {count} deliveries in {options['path']}")

"""`manage.py export_run RUN PATH`: write a run's bundle, or with `--format` its rows or traces."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.models import Run
from trajectories.bundle import export_bundle
from trajectories.export import FORMATS, NAMES, TABULAR, BadFilter, Filters, NoParquet, exported
from trajectories.management.runs import finite, named_run


class Command(BaseCommand):
    """Export a run."""

    help = "Write a run's bundle (a zip if PATH ends in .zip, else a folder), or with --format its rows or traces."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("path", type=Path, help="a new file; for rows without --table, a folder")
        parser.add_argument("--format", choices=["bundle", *FORMATS], default="bundle")
        parser.add_argument("--table", choices=NAMES, help="only this table of the State, this reading, or the events")
        parser.add_argument("--worker", help="a worker's number")
        parser.add_argument(
            "--kind", default="", help="events of a kind such as pull.merged, or pull.*, or several by comma"
        )
        parser.add_argument("--since", type=finite, help="seconds since run.started")
        parser.add_argument("--until", type=finite, help="seconds since run.started")
        parser.add_argument("--status", help="of the ledger of claims: live, landed, overlapped, lost, ..")
        parser.add_argument("--fate", help="of the ledger of pulls: merged, withdrawn, unreviewed, ..")
        parser.add_argument("--q", help="words in a claim or a pull, for their ledgers")
        parser.add_argument("--sort", help="order of a ledger, as on its page")

    def handle(self, *args: Any, **options: Any) -> None:
        run, path, form = named_run(options["run"]), options["path"], options["format"]
        try:
            if form == "bundle":
                self.stdout.write(f"{run.slug}: {export_bundle(run, path)} deliveries in {path}")
                return
            filters = Filters.read(options)
            if form in TABULAR and options["table"] is None:
                path.mkdir(parents=True, exist_ok=True)
                for name in NAMES:
                    self._write(run, form, name, filters, path / f"{name}.{form}")
            else:
                self._write(run, form, options["table"] or "", filters, path)
        except (BadFilter, NoParquet) as problem:
            raise CommandError(f"--{problem}", returncode=2) from None
        except OSError as problem:
            raise CommandError(
                f"path: {path}: {problem.strerror or problem}; name a new file in a folder you may write to",
                returncode=2,
            ) from None

    def _write(self, run: Run, form: str, table: str, filters: Filters, path: Path) -> None:
        size = 0
        with path.open("xb") as file:
            for piece in exported(run, form, table, filters).pieces:
                size += file.write(piece)
        self.stdout.write(f"{run.slug}: {size:,} bytes in {path}")

"""`simulate_run`: write the bundle of a simulated run, for replay at a size nobody has at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.simulate import simulate


class Command(BaseCommand):
    help = "Write a run bundle of a simulated team: deterministic by seed, any size and length."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, default=1024)
        parser.add_argument("--hours", type=float, default=6.0)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--out", type=Path, required=True, help="bundle to write: NAME.agrun.zip, or a new folder")

    def handle(self, *args: Any, workers: int, hours: float, seed: int, out: Path, **options: Any) -> None:
        if not out.resolve().parent.is_dir():
            raise CommandError(f"--out: there is no folder {out.resolve().parent}", returncode=2)
        try:
            facts = simulate(workers, hours, seed, out.resolve())
        except ValueError as problem:
            raise CommandError(str(problem), returncode=2) from problem
        self.stdout.write(json.dumps({"out": str(out), "lines": facts.lines, "happenings": facts.happenings}))

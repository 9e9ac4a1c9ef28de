"""`simulate_run`: write the bundle of a simulated run, for replay at a size nobody has at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.simulate import simulate
from runs.simulate.wording import WORDINGS


class Command(BaseCommand):
    help = "Write a run bundle of a simulated team: deterministic by seed, any size and length."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, default=1024)
        parser.add_argument("--hours", type=float, default=6.0)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--out", type=Path, required=True, help="bundle to write: NAME.agrun.zip, or a new folder")
        parser.add_argument(
            "--planted", type=Path, help="file for what was planted, one JSON line each; never part of the bundle"
        )

        parser.add_argument("--wording", default="plain", help=f"how the team writes: {', '.join(WORDINGS)}")

    def handle(
        self,
        *args: Any,
        workers: int,
        hours: float,
        seed: int,
        out: Path,
        planted: Path | None,
        wording: str,
        **options: Any,
    ) -> None:
        if not out.resolve().parent.is_dir():
            raise CommandError(f"--out: there is no folder {out.resolve().parent}", returncode=2)
        if planted is not None and not planted.resolve().parent.is_dir():
            raise CommandError(f"--planted: there is no folder {planted.resolve().parent}", returncode=2)
        try:
            facts = simulate(workers, hours, seed, out.resolve(), planted=planted, wording=wording)
        except ValueError as problem:
            raise CommandError(str(problem), returncode=2) from problem
        self.stdout.write(json.dumps({"out": str(out), "lines": facts.lines, "happenings": facts.happenings}))

"""`manage.py run_state RUN`: the State, now or at a moment, with its hash."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trajectories.management.runs import finite, named_run
from trajectories.reducers import TABLES
from trajectories.replay import state


class Command(BaseCommand):
    """Print the State of a run."""

    help = "The State of a run: {hash, rules_version, tables}."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", help="slug or id")
        parser.add_argument("--at", type=finite, help="seconds since run.started, decimals allowed")
        parser.add_argument("--table", help=f"one of {', '.join(sorted(TABLES))}")
        parser.add_argument("--json", action="store_true", help="print JSON; without it, a line per table")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["table"] is not None and options["table"] not in TABLES:
            raise CommandError(
                f"--table: unknown table {options['table']!r}; use one of {', '.join(sorted(TABLES))}", returncode=2
            )
        found = state(named_run(options["run"]).pk, options["at"], options["table"])
        answer = {name: found[name] for name in ("hash", "rules_version", "tables")}
        if options["json"]:
            self.stdout.write(json.dumps(answer))
            return
        self.stdout.write(f"hash {answer['hash']}")
        for name, rows in answer["tables"].items():
            self.stdout.write(f"{name:12} {len(rows)}")

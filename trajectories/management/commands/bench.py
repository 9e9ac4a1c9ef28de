"""`manage.py bench [ingest|live|meaning] --json`: figures with their ceilings, measured in the same run."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from trajectories.bench import BENCHES, bench


class Command(BaseCommand):
    """Measure this machine with this database."""

    help = "Figures with their ceilings. A scratch run is made and removed; other runs are not touched."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", choices=list(BENCHES), help="all of them when left out")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"]
        figures = {each: bench(each)() for each in BENCHES if name in (None, each)}
        answer = figures if name is None else figures[name]
        self.stdout.write(json.dumps(answer) if options["json"] else json.dumps(answer, indent=1))

"""`manage.py import_run PATH`: bring a bundle in. Exit 2 when its structure is wrong; bad lines are counted and listed."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from trajectories.bundle import BadBundle, import_bundle


class Command(BaseCommand):
    """Import a run bundle, a `.agrun.zip` or the same layout as a folder."""

    help = "Import a run bundle (.agrun.zip or folder). Can be repeated and resumed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = import_bundle(options["path"])
        except BadBundle as problem:
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

"""`manage.py doctor`: what this machine has and lacks for launching, each fault with the command that mends it."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from runs import catalog, preflight
from runs.backends import compose
from runs.presets import PRESETS
from runs.validation import parse_spec

SOCKET = "/var/run/docker.sock"


class Command(BaseCommand):
    help = "Check what this machine has for launching teams; exit code 1 if something is missing."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.APP_URL and os.access(SOCKET, os.W_OK):
            compose.look(Path(settings.DATA_DIR))  # we are the launcher: what is said is what is there now
        rows = preflight.installation()
        found = catalog.tasks()
        if found:
            asked = {"task": found[0].name, "backend": "compose" if settings.APP_URL else "local"}
            demo = parse_spec(asked, PRESETS["demo"].spec)
            seen = {row.name for row in rows}
            rows += [row for row in preflight.check(demo) if row.name not in seen]
        else:
            rows.append(
                preflight.Check("task", False, "no task is installed", "put a folder with task.yaml under docker/tasks")
            )
        rows += broken_tasks({task.name for task in found})
        if options["json"]:
            self.stdout.write(json.dumps([asdict(row) for row in rows], indent=1))
        else:
            for row in rows:
                word = "FAIL" if not row.ok else "note" if row.fix else "ok  "
                self.stdout.write(f"{word} {row.name}: {row.text}{f'. {row.fix}' if row.fix else ''}")
        if not all(row.ok for row in rows):
            raise CommandError(", ".join(row.name for row in rows if not row.ok) + " missing or broken", returncode=1)


def broken_tasks(readable: set[str]) -> list[preflight.Check]:
    """Folders that hold a task.yaml that cannot be read."""
    named = {file.parent.name for place in settings.TASKS_DIRS for file in Path(place).glob("*/task.yaml")}
    return [
        preflight.Check(f"task {name}", False, "its task.yaml cannot be read", "mend it as docker/tasks/README.md says")
        for name in sorted(named - readable)
    ]

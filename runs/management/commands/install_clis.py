"""`manage.py install_clis`: install the pinned agent CLIs from npm below the data folder."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand, CommandError

from runs import clis
from runs.harnesses import HARNESSES, package


class Command(BaseCommand):
    help = "Install the agent CLIs (Copilot, Claude Code, Codex) that docker/clis pins; about 1.2 GB, one minute."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            place = clis.install()
        except clis.InstallError as problem:
            raise CommandError(str(problem), returncode=1) from problem
        for name in HARNESSES:
            if found := package(name):
                self.stdout.write(f"{name}: {found.name} {found.version}")
        self.stdout.write(f"installed in {place}")

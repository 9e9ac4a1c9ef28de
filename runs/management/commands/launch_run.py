"""`manage.py launch_run`: launch a team from a shell. It writes a row; the running `up` acts within a second."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from runs.catalog import with_task
from runs.launch import create_run
from runs.live_app import is_live, public_url
from runs.models import Run
from runs.presets import PRESETS
from runs.spec import SpecError
from runs.summary import summary
from runs.validation import microdollars, parse_spec

# option -> field; the rest of the fields have an option of their own name
OPTIONS = {
    "name": "name",
    "task": "task",
    "backend": "backend",
    "workers": "workers",
    "harness": "harnesses",
    "model": "model",
    "endpoint": "endpoint",
    "effort": "effort",
    "permissions": "permissions",
    "duration": "duration_s",
    "checkpoint": "checkpoint_s",
    "group": "group",
    "seed": "seed",
    "budget": "budget_microusd",
    "budget-tokens": "budget_tokens",
    "requests-at-once": "requests_at_once",
}


class Command(BaseCommand):
    help = "Launch a run from a preset; with --wait until it is over."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--preset", default="demo", help=", ".join(PRESETS))
        for option, field in OPTIONS.items():
            parser.add_argument(f"--{option}", dest=field, default=None)
        parser.add_argument("--wait", action="store_true", help="until the run is over; needs a running app")
        parser.add_argument("--json", action="store_true", help="print the run as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        served = _served()
        if options["wait"] and not served:
            raise CommandError("--wait: no manage.py up runs on this data folder; start it first", returncode=2)
        run = self._create(options)
        if not options["json"]:
            self.stdout.write(
                f"{run.slug}: {public_url()}/runs/{run.slug}/" if served else f"{run.slug}: waits for manage.py up"
            )
        if options["wait"]:
            self._wait(run, quiet=options["json"])
        run.refresh_from_db()
        if options["json"]:
            self.stdout.write(json.dumps(summary(run), indent=1, ensure_ascii=True))
        if options["wait"] and run.status != "ended":
            raise CommandError(f"{run.slug} {run.status}: {run.reason}", returncode=1)

    def _create(self, options: dict[str, Any]) -> Run:
        preset = PRESETS.get(options["preset"])
        if preset is None:
            raise CommandError(
                f"--preset: {options['preset']!r} is unknown; choose one of {', '.join(PRESETS)}", returncode=2
            )
        raw = {field: options[field] for field in OPTIONS.values() if options[field] is not None}
        if "budget_microusd" in raw:
            raw["budget_microusd"] = microdollars(raw["budget_microusd"])
        try:
            return create_run(parse_spec(with_task(raw), preset.spec))[0]
        except SpecError as problem:
            names = {field: option for option, field in OPTIONS.items()}
            lines = [f"--{names.get(field, field)}: {text}" for field, text in problem.errors.items()]
            raise CommandError("; ".join(lines), returncode=2) from problem

    def _wait(self, run: Run, quiet: bool) -> None:
        phase = ""
        while True:
            run.refresh_from_db()
            if run.phase != phase and not quiet:
                phase = run.phase
                self.stdout.write(f"{time.strftime('%H:%M:%S')} {phase}")
                self.stdout.flush()
            if run.is_final:
                return
            if not _served():
                raise CommandError(
                    f"--wait: manage.py up is gone; {run.slug} goes on when it is started again", returncode=2
                )
            time.sleep(0.5)


def _served() -> bool:
    """Whether somebody drives runs: `up` on this data folder, or a production stack, whose processes are told where it answers."""
    return is_live() or bool(settings.APP_URL)

"""`manage.py up`: the embedded app on 127.0.0.1, everything in one process."""

from __future__ import annotations

import errno
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import BaseCommand, CommandError, call_command

from runs import driving, embedded, people
from runs.access import role_of
from runs.backends.files import read_json
from runs.live_app import UpLock, say_address
from runs.models import SignInLink
from runs.team import readdress

ADMIN = "admin"


def refused(text: str) -> CommandError:
    """Bad input or circumstances: one line on stderr, exit code 2."""
    return CommandError(text, returncode=2)


class Command(BaseCommand):
    help = "Start the app: web, Celery and clock in one process. Prints the address and a one-time sign-in link."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1 (0: any free one)")

    def handle(self, *args: Any, **options: Any) -> None:
        lock = _lock()
        try:
            listener = embedded.listening_socket(options["port"])
        except (OSError, OverflowError) as problem:
            lock.drop()
            taken = getattr(problem, "errno", None) == errno.EADDRINUSE
            why = "is taken; choose another" if taken else f"cannot be used ({problem}); choose another"
            raise refused(f"--port: {options['port']} {why}, for example --port {_next(options['port'])}") from problem
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        say_address(url)
        driving.forget_dead_leases()
        readdress()
        embedded.start_celery()
        link = f"{url}/sign-in/link/{SignInLink.mint(_admin())}"
        embedded.serve(listener, lambda: self._announce(url, link))

    def _announce(self, url: str, link: str) -> None:
        self.stdout.write(f"Agensh Web answers at {url}")
        self.stdout.write(f"Sign in once with        {link}")
        self.stdout.write("Ctrl-C ends it and its runs; after SIGTERM runs go on and the next `up` takes them over.")
        self.stdout.flush()


def _lock() -> UpLock:
    folder = Path(settings.DATA_DIR)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = UpLock()
        if lock.take():
            return lock
    except OSError as problem:
        raise refused(
            f"AGENSH_DATA_DIR: {folder} cannot be written ({problem.strerror}); set it to a folder you may write to"
        ) from problem
    other = read_json(folder / "up.json") or {}
    raise refused(
        f"AGENSH_DATA_DIR: another manage.py up (pid {other.get('pid', '?')}) already serves {folder} at {other.get('url', '?')}"
    )


def _admin() -> User:
    """The first administrator, made now if there is none; its password comes from AGENSH_ADMIN_PASSWORD_FILE if that is set."""
    found = next((p for p in User.objects.filter(is_active=True).order_by("pk") if role_of(p) == "admin"), None)
    file = os.environ.get("AGENSH_ADMIN_PASSWORD_FILE")
    try:
        password = Path(file).read_text().strip() if file else None
        if found is None:
            return people.add(ADMIN, "admin", password)
        if password and not found.check_password(password):
            people.set_password(found, password)
    except (OSError, people.PeopleError) as problem:
        raise refused(f"AGENSH_ADMIN_PASSWORD_FILE: {problem}") from problem
    return found


def _next(port: int) -> int:
    return port + 1 if 0 < port < 65_535 else 8001

"""`manage.py add_person NAME --role ROLE`: add a person; without a password file prints a one-time sign-in link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs import people
from runs.access import ROLES
from runs.live_app import public_url
from runs.models import SignInLink


class Command(BaseCommand):
    help = "Add a person with a role."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=ROLES, default="viewer")
        parser.add_argument("--password-file", type=Path, help="first line = the password, at least 10 characters")

    def handle(self, *args: Any, name: str, role: str, password_file: Path | None, **options: Any) -> None:
        try:
            password = password_file.read_text().splitlines()[0] if password_file else None
            person = people.add(name, role, password)
        except (OSError, IndexError, people.PeopleError) as problem:
            raise CommandError(str(problem), returncode=2) from problem
        self.stdout.write(f"{name} is added as {role}.")
        if password is None:
            self.stdout.write(f"One-time sign-in link: {public_url()}/sign-in/link/{SignInLink.mint(person)}")

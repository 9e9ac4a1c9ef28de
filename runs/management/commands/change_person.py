"""`manage.py change_person NAME [--role ROLE] [--disable | --enable] [--sign-out] [--password-file FILE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs import people
from runs.access import ROLES


class Command(BaseCommand):
    help = "Change a person's role, disable or enable it, set its password, or sign it out everywhere."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=ROLES)
        state = parser.add_mutually_exclusive_group()
        state.add_argument("--disable", action="store_true")
        state.add_argument("--enable", action="store_true")
        parser.add_argument("--sign-out", action="store_true", help="end every session of the person")
        parser.add_argument("--password-file", type=Path, help="first line = the new password")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        person = User.objects.filter(username=name).first()
        if person is None:
            raise CommandError(f"name: there is no person {name!r}; `manage.py people` lists them", returncode=2)
        try:
            done = self._change(person, options)
        except (OSError, IndexError, people.PeopleError) as problem:
            raise CommandError(str(problem), returncode=2) from problem
        if not done:
            raise CommandError(
                "nothing to change: give --role, --disable, --enable, --sign-out or --password-file", returncode=2
            )
        self.stdout.write(f"{name}: {', '.join(done)}.")

    def _change(self, person: User, options: dict[str, Any]) -> list[str]:
        done = []
        if options["role"]:
            people.change_role(person, options["role"])
            done.append(f"now {options['role']}")
        if options["password_file"]:
            people.set_password(person, options["password_file"].read_text().splitlines()[0])
            done.append("password set")
        if options["disable"]:
            people.disable(person)
            done.append("disabled")
        if options["enable"]:
            people.enable(person)
            done.append("enabled")
        if options["sign_out"]:
            done.append(f"{people.sign_out_everywhere(person)} sessions ended")
        return done

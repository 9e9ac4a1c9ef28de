"""`manage.py create_token NAME --role ROLE`: an API token that belongs to nobody. It is printed once; only its hash is kept."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.access import ROLES
from runs.models import ApiToken


class Command(BaseCommand):
    help = "Make an API token and print it once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--role", choices=ROLES, required=True)

    def handle(self, *args: Any, name: str, role: str, **options: Any) -> None:
        if not name.strip() or len(name) > 80:
            raise CommandError("name: give 1 to 80 characters that say what will use the token", returncode=2)
        plain, _ = ApiToken.mint(name.strip(), role)
        self.stdout.write(plain)

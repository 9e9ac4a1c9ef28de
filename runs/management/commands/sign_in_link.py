"""`manage.py sign_in_link NAME`: a fresh link that signs in once, within an hour."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs.live_app import public_url
from runs.models import SignInLink


class Command(BaseCommand):
    help = "Print a one-time sign-in link for a person."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        person = User.objects.filter(username=name, is_active=True).first()
        if person is None:
            raise CommandError(f"name: there is no active person {name!r}; `manage.py people` lists them", returncode=2)
        self.stdout.write(f"{public_url()}/sign-in/link/{SignInLink.mint(person)}")

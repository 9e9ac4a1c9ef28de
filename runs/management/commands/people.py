"""`manage.py people`: who may enter, with role and state."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from runs.access import role_of


class Command(BaseCommand):
    help = "List the people."

    def handle(self, *args: Any, **options: Any) -> None:
        for person in User.objects.order_by("username"):
            role = role_of(person) or ("disabled" if not person.is_active else "no role")
            self.stdout.write(f"{person.username}\t{role}")

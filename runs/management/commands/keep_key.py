"""`manage.py keep_key ENDPOINT < FILE`: keep the key of a model endpoint. It is read from standard input or typed unseen, never an argument."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs import keys
from runs.models import Endpoint
from runs.validation import endpoint_faults


class Command(BaseCommand):
    help = "Keep, renew or remove the key of a model endpoint; the key comes by standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("endpoint", help="its name; with --url it is made if there is none")
        parser.add_argument("--url", help="the base of its API, where /chat/completions begins")
        parser.add_argument("--auth", choices=[value for value in Endpoint.Auth.values if value != "none"])
        parser.add_argument("--forget", action="store_true", help="remove the key")

    def handle(
        self, *args: Any, endpoint: str, url: str | None, auth: str | None, forget: bool, **options: Any
    ) -> None:
        row = Endpoint.objects.filter(name=endpoint).first()
        if row is None and not url:
            known = ", ".join(Endpoint.objects.values_list("name", flat=True))
            raise CommandError(f"endpoint: {endpoint!r} is unknown; known are {known}, or give its --url", returncode=2)
        if url and (found := endpoint_faults(url)):
            raise CommandError(f"--url: {found['endpoint']}", returncode=2)
        row = row or Endpoint(name=endpoint)
        if forget:
            keys.forget(row)
            self.stdout.write(f"The key of {row.name} is removed.")
            return
        try:
            key = keys.check(getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.read(keys.LONGEST + 2))
            row.url, row.auth = (url or row.url).rstrip("/"), auth or row.auth
            row.full_clean(exclude=["key_kept_by"])
            row.save()
            keys.keep(row, key)
        except keys.KeyFault as fault:
            raise CommandError(f"key: {fault}", returncode=2) from None
        except Exception as fault:
            if not hasattr(fault, "message_dict"):
                raise
            raise CommandError(
                "; ".join(f"{name}: {' '.join(said)}" for name, said in fault.message_dict.items()), returncode=2
            ) from None
        self.stdout.write(f"The key of {row.name} is kept in {keys.path_of(row)} (mode 0600).")

"""The keys of model endpoints: one file each, mode 0600, in a folder of mode 0700 of the data folder. Never in the database.

Why files: a dump, an export or a copy of the database then holds no key in any form; the secret key that could open an encrypted column
lies in the same data folder anyway; and the gateway, which alone uses it, is given the path and reads the file itself, so the key crosses no
argument, environment or configuration, and a new one holds from the next request on.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.text import slugify

from runs.backends.files import write_whole
from runs.models import Endpoint

LONGEST = 4_096


class KeyFault(ValueError):
    """What was given is no key; the message says why and never holds it."""


def path_of(endpoint: Endpoint) -> Path:
    """Where the endpoint's key is, if it has one."""
    return Path(settings.DATA_DIR) / "keys" / f"{endpoint.name}.key"


def has_key(endpoint: Endpoint) -> bool:
    """True if a key is kept."""
    return path_of(endpoint).is_file()


def check(said: str) -> str:
    """The key in what was typed or piped. Raises KeyFault."""
    key = said.strip()
    if not key:
        raise KeyFault("the key is empty")
    if len(key) > LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        raise KeyFault(f"a key is one word of at most {LONGEST} plain characters")
    return key


def keep(endpoint: Endpoint, said: str, person: User | None = None) -> None:
    """Keep a key, or put a new one in its place. Raises KeyFault."""
    key = check(said)
    file = path_of(endpoint)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.parent.chmod(0o700)
    write_whole(file, key)
    endpoint.key_kept_at, endpoint.key_kept_by = timezone.now(), person
    if endpoint.auth == Endpoint.Auth.NONE:
        endpoint.auth = Endpoint.Auth.BEARER
    endpoint.save(update_fields=["key_kept_at", "key_kept_by", "auth"])


def keep_for(said: str, key: str, person: User | None) -> Endpoint:
    """Keep the key of the endpoint a spec names, by name or address; an address nobody wrote down becomes a row. Raises KeyFault."""
    check(key)
    row = Endpoint.find(said)
    if row is None:
        host = slugify(urlsplit(said).hostname or "") or "endpoint"
        taken = set(Endpoint.objects.filter(name__startswith=host[:50]).values_list("name", flat=True))
        name = next(
            each for n in range(1, 10_000) if (each := host[:50] if n == 1 else f"{host[:50]}-{n}") not in taken
        )
        row = Endpoint.objects.create(name=name, url=said.rstrip("/"))
    keep(row, key, person)
    return row


def forget(endpoint: Endpoint) -> None:
    """Remove the key; what runs now has no key from its next request on."""
    path_of(endpoint).unlink(missing_ok=True)
    endpoint.key_kept_at = endpoint.key_kept_by = None
    endpoint.save(update_fields=["key_kept_at", "key_kept_by"])

"""What lets people and their programs in: API tokens and one-time sign-in links, stored as hashes."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone

from runs.models.token import hashed


class ApiToken(models.Model):
    """A bearer token of the API with a role of its own, never above its person's."""

    hash = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=80)
    role = models.CharField(max_length=10, choices=[(r, r) for r in ("viewer", "operator", "admin")])
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="api_tokens"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def mint(cls, name: str, role: str, person: User | None = None) -> tuple[str, ApiToken]:
        """A new token `agt_...` and its row; the plain text is shown once."""
        plain = f"agt_{secrets.token_urlsafe(32)}"
        return plain, cls.objects.create(hash=hashed(plain), name=name, role=role, person=person)

    @classmethod
    def find(cls, plain: str) -> ApiToken | None:
        """The row of a token that still holds: not revoked, its person (if any) active."""
        row = cls.objects.select_related("person").filter(hash=hashed(plain), revoked_at=None).first()
        return None if row is None or (row.person is not None and not row.person.is_active) else row

    def revoke(self) -> None:
        """End it now."""
        self.revoked_at = timezone.now()
        self.save(update_fields=["revoked_at"])


class SignInLink(models.Model):
    """A sign-in link that works once, for a while."""

    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link of {self.person_id}"

    @classmethod
    def mint(cls, person: User, minutes: int = 60) -> str:
        """A new link's token, for `/sign-in/link/<token>`."""
        plain = secrets.token_urlsafe(32)
        cls.objects.create(hash=hashed(plain), person=person, expires_at=timezone.now() + timedelta(minutes=minutes))
        return plain

    @classmethod
    def waiting(cls, plain: str) -> User | None:
        """The person a link would sign in; None where `redeem` would give None. Spends nothing."""
        good = cls.objects.filter(hash=hashed(plain), used_at=None, expires_at__gt=timezone.now())
        link = good.select_related("person").first()
        return link.person if link is not None and link.person.is_active else None

    @classmethod
    def redeem(cls, plain: str) -> User | None:
        """The person, the first time; None for a used, expired or unknown link or a disabled person."""
        now = timezone.now()
        # One conditional UPDATE: two clicks at once sign in once.
        if not cls.objects.filter(hash=hashed(plain), used_at=None, expires_at__gt=now).update(used_at=now):
            return None
        person: User = cls.objects.select_related("person").get(hash=hashed(plain)).person
        return person if person.is_active else None

"""Which models there are, where they answer and what they cost: rows that an admin edits. A model's key is in none of them."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower


class Endpoint(models.Model):
    """A place where models answer: the base of an API, where `/chat/completions`, `/responses` or `/messages` is added.

    Its key, if it has one, is a file (runs/keys.py); the row only says when and by whom it was given.
    """

    class Auth(models.TextChoices):
        BEARER = "bearer", "Authorization: Bearer"
        X_API_KEY = "x-api-key", "x-api-key"
        API_KEY = "api-key", "api-key"
        NONE = "none", "no key"

    name = models.SlugField(max_length=60, unique=True)
    url = models.CharField(max_length=300)
    auth = models.CharField(max_length=10, choices=Auth.choices, default=Auth.BEARER)
    other_models = models.BooleanField(default=False)  # may a worker ask for another model than the run's?
    strip = models.CharField(max_length=300, blank=True, default="")  # fields left out of every request, by comma
    key_kept_at = models.DateTimeField(null=True, blank=True)
    key_kept_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def find(cls, said: str) -> Endpoint | None:
        """The row that a spec's `endpoint` means: by name, else by address."""
        return cls.objects.filter(name=said).first() or cls.objects.filter(url=said.rstrip("/")).first()

    @property
    def stripped(self) -> list[str]:
        """The names in `strip`."""
        return [name for name in (part.strip() for part in self.strip.split(",")) if name]


class LanguageModel(models.Model):
    """A model that the form offers, from a day on. Any other name may be typed; then no price is known."""

    name = models.CharField(max_length=120, unique=True)
    title = models.CharField(max_length=120, blank=True, default="")
    endpoint = models.ForeignKey(Endpoint, models.SET_NULL, null=True, blank=True, related_name="language_models")
    valid_from = models.DateField()
    retired_on = models.DateField(null=True, blank=True)

    class Meta:
        ordering = [Lower("name")]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def offered(cls, day: date) -> models.QuerySet[LanguageModel]:
        """Those that can be chosen on a day."""
        return cls.objects.filter(
            models.Q(retired_on=None) | models.Q(retired_on__gt=day), valid_from__lte=day
        ).select_related("endpoint")


class Price(models.Model):
    """What a model costs from a day on (UTC), in micro-dollars per million tokens. History stays: a new price is a new row."""

    model = models.ForeignKey(LanguageModel, models.CASCADE, related_name="prices")
    valid_from = models.DateField()
    input = models.BigIntegerField()
    cached = models.BigIntegerField()
    cache_write = models.BigIntegerField()
    output = models.BigIntegerField()
    source = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["model__name", "-valid_from"]
        constraints = [models.UniqueConstraint(fields=["model", "valid_from"], name="price_once_a_day")]

    def __str__(self) -> str:
        return f"{self.model.name} from {self.valid_from}"

    @classmethod
    def table(cls) -> list[dict[str, Any]]:
        """Every price, as the gateway's configuration has it."""
        figures = ("input", "cached", "cache_write", "output")
        rows = cls.objects.values("model__name", "valid_from", *figures).order_by("valid_from", "pk")
        return [
            {"model": row["model__name"], "valid_from": row["valid_from"].isoformat()}
            | {name: row[name] for name in figures}
            for row in rows
        ]

    @classmethod
    def holding(cls, model: str, day: date) -> Price | None:
        """The price of a model on a day, or None."""
        return cls.objects.filter(model__name=model, valid_from__lte=day).order_by("-valid_from").first()

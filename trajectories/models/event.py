"""What was seen: events, parsed once from deliveries, numbered in order of arrival. ACP tallies are in `pack.Pack` instead."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class EventRow(models.Model):
    """One event. `n` is its arrival number, dense per run; (`at`, `rank`, `seq`, `key`, `part`) its canonical place.

    `fields` is JSON text: nothing is ever asked of its inside, and text is the same on every database.
    """

    pk = models.CompositePrimaryKey("run_id", "n")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="events", db_index=False)
    n = models.BigIntegerField()
    at = models.BigIntegerField()
    rank = models.SmallIntegerField()
    seq = models.BigIntegerField()
    source = models.CharField(max_length=12)
    key = models.CharField(max_length=160)
    part = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    worker = models.PositiveIntegerField(null=True)
    actor = models.CharField(max_length=200, null=True)  # noqa: DJ001 - no actor is null in the event too
    said_at = models.BigIntegerField(null=True)
    fields = models.TextField(default="{}")

    class Meta:
        db_table = "trajectories_event"
        constraints = [models.UniqueConstraint(fields=["run", "source", "key", "part"], name="event_once")]
        # Two partial ones: what a page asks by kind is not said over ACP, and what a worker's transcript asks is. A query must
        # hold the same condition on `rank` for SQLite to see it.
        indexes = [
            models.Index(fields=["run", "at"], name="event_at"),
            models.Index(fields=["run", "kind", "at"], name="event_kind", condition=Q(rank__lt=5)),
            models.Index(fields=["run", "worker", "at"], name="event_acp", condition=Q(rank=5)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.n}"

"""How far a run's ingest and derivation have come, and who is at it."""

from __future__ import annotations

import time

from django.db import models
from django.db.models import Q


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Stream(models.Model):
    """One row per run: its counters and its deriver's lease.

    `n` = newest arrival number, written under this row's lock by whoever stores. `derived_n` and `c` = how far the change log
    of `generation` has come. `settled_n` = the n at which the run was last settled, 0 before.
    """

    run = models.OneToOneField("runs.Run", models.CASCADE, related_name="stream", primary_key=True)
    n = models.BigIntegerField(default=0)
    generation = models.PositiveIntegerField(default=1)
    c = models.BigIntegerField(default=0)
    derived_n = models.BigIntegerField(default=0)
    settled_n = models.BigIntegerField(default=0)
    settled_hash = models.CharField(max_length=64, default="")
    live_hash = models.CharField(max_length=64, default="")  # of the live fold at the moment of settling: must be equal
    t0 = models.BigIntegerField(null=True)  # `at` of run.started
    holder = models.CharField(max_length=120, default="")
    held_until = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"stream of {self.run_id}"

    @property
    def settled(self) -> bool:
        """The change log is the final one, in canonical order, of every event stored."""
        return self.settled_n == self.n and self.n > 0

    @classmethod
    def of(cls, run_id: int) -> Stream:
        """The run's row, made at first need."""
        return cls.objects.get_or_create(run_id=run_id)[0]

    @classmethod
    def take(cls, run_id: int, holder: str, ms: int) -> bool:
        """Become or stay the run's deriver until `ms` from now. A lease that ran out may be taken by anybody."""
        now = now_ms()
        free = Q(holder__in=["", holder]) | Q(held_until__lt=now)
        return bool(cls.objects.filter(free, run_id=run_id).update(holder=holder, held_until=now + ms))

    @classmethod
    def drop(cls, run_id: int, holder: str) -> None:
        """Let go, if still held."""
        cls.objects.filter(run_id=run_id, holder=holder).update(holder="", held_until=0)


class Feed(models.Model):
    """One source of a run: its cursor and its health. Times are ms, None = unknown (never zero)."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="feeds")
    source = models.CharField(max_length=12)
    cursor = models.TextField(default="null")  # JSON, the source's own
    polled_at = models.BigIntegerField(null=True)  # last successful poll or batch
    newest_at = models.BigIntegerField(null=True)  # time of the newest row seen
    error = models.CharField(max_length=300, default="")
    error_since = models.BigIntegerField(null=True)
    late = models.PositiveIntegerField(default=0)  # events that came after the fold had passed their time
    deliveries = models.PositiveBigIntegerField(default=0)
    skipped = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "source"], name="feed_once")]

    def __str__(self) -> str:
        return f"{self.source} of {self.run_id}"

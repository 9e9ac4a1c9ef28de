"""A run: its spec, its status machine, its leases and its outbox. The rules live on the row, as verbs under a row lock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from runs.models.event import RunEvent
from runs.signals import ring


class Status(models.TextChoices):
    """Where a run is in its life."""

    DRAFT = "draft"
    PREFLIGHT = "preflight"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"
    FAILED = "failed"
    CANCELLED = "cancelled"
    IMPORTING = "importing"


MOVES: dict[str, frozenset[str]] = {
    "draft": frozenset({"preflight", "failed", "cancelled"}),
    "preflight": frozenset({"starting", "failed", "cancelled"}),
    "starting": frozenset({"running", "stopping"}),
    "running": frozenset({"stopping"}),
    "stopping": frozenset({"ended", "failed", "cancelled"}),
    "importing": frozenset({"ended", "failed"}),
    "ended": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
}
FINAL = frozenset({"ended", "failed", "cancelled"})


class IllegalMove(Exception):
    """A status change that the machine does not know."""


class Run(models.Model):
    """One team at one task, live, recorded or imported."""

    class Origin(models.TextChoices):
        RECORDED = "recorded"
        SIMULATED = "simulated"
        IMPORTED = "imported"

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.DRAFT, db_index=True)
    phase = models.CharField(max_length=24, blank=True, default="")
    origin = models.CharField(max_length=12, choices=Origin.choices, default=Origin.RECORDED)
    scripted = models.BooleanField(default=False)
    task = models.CharField(max_length=80, blank=True, default="")
    group = models.CharField(max_length=80, blank=True, default="", db_index=True)
    spec = models.JSONField(default=dict)
    endpoints = models.JSONField(default=dict, blank=True)
    provenance = models.JSONField(default=dict, blank=True)
    monitor = models.JSONField(
        default=dict, blank=True
    )  # cursors of the monitor, moved in the transaction of its events
    outcome = models.CharField(max_length=24, blank=True, default="")
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    idempotency_key = models.CharField(max_length=120, null=True, blank=True, unique=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    end_requested_at = models.DateTimeField(null=True, blank=True)
    drained_at = models.DateTimeField(
        null=True, blank=True
    )  # set by the listener: every outbox answered empty at the end
    lease_holder = models.CharField(max_length=80, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    event_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.slug

    @property
    def is_final(self) -> bool:
        """Nothing will happen to it any more, except late deliveries."""
        return self.status in FINAL

    @property
    def deadline_at(self) -> datetime | None:
        """When its time is up; None before the clock starts."""
        seconds = self.spec.get("duration_s")
        return self.started_at + timedelta(seconds=seconds) if self.started_at and seconds else None

    @contextmanager
    def locked(self) -> Iterator[Run]:
        """A transaction that holds this row; fields are read afresh, so decisions inside are safe."""
        with transaction.atomic():
            fresh = Run.objects.select_for_update().get(pk=self.pk)
            for field in self._meta.concrete_fields:
                setattr(self, field.attname, getattr(fresh, field.attname))
            yield self

    def record(self, kind: str, *, at: int | None = None, **fields: Any) -> RunEvent:
        """Append a run event in the present transaction (or one of its own): `n` is dense from 1, `at` is ms.

        This is the outbox of source `run`; the doorbell rings after the commit.
        """
        with transaction.atomic():
            count = Run.objects.select_for_update().values_list("event_count", flat=True).get(pk=self.pk) + 1
            Run.objects.filter(pk=self.pk).update(event_count=count)
            self.event_count = count
            moment = time.time_ns() // 1_000_000 if at is None else at
            event = RunEvent.objects.create(run=self, n=count, at=moment, kind=kind, fields=fields)
            ring(self.pk)
        return event

    def move(self, status: str, **changes: Any) -> None:
        """Go to `status`, storing `changes` with it. Raises IllegalMove if the machine has no such step."""
        with self.locked():
            if status not in MOVES[self.status]:
                raise IllegalMove(f"run {self.slug} is {self.status}; it cannot become {status}")
            self.status = status
            for name, value in changes.items():
                setattr(self, name, value)
            self.save(update_fields=["status", *changes])
            ring(self.pk)

    def enter_phase(self, phase: str) -> None:
        """Record that launch or end moved on; entering the same phase twice is one step."""
        with self.locked():
            if self.phase != phase:
                self.phase = phase
                self.save(update_fields=["phase"])
                self.record("run.phase_changed", phase=phase)

    def start_clock(self, **facts: Any) -> None:
        """starting -> running: `run.started` carries the spec flat and t = 0 is now."""
        with self.locked():
            moment = time.time_ns() // 1_000_000
            self.move("running", started_at=datetime.fromtimestamp(moment / 1000, UTC))
            self.record("run.started", at=moment, **{**self.spec, **facts})

    def stop(self, outcome: str, reason: str) -> bool:
        """Begin to end: `outcome` ended|failed|cancelled. False if it is already stopping or over."""
        with self.locked():
            if self.status not in {"starting", "running"}:
                return False
            self.move("stopping", outcome=outcome, reason=reason[:500])
            self.enter_phase("stopping")
        return True

    def finish(self, outcome: str = "", reason: str = "") -> None:
        """To the final status named by `outcome` (default: as `stop` decided), with `run.ended`."""
        with self.locked():
            outcome, reason = outcome or self.outcome or "ended", (reason or self.reason)[:500]
            self.move(
                outcome,
                phase=outcome,
                outcome=outcome,
                reason=reason,
                ended_at=timezone.now(),
                lease_holder="",
                lease_until=None,
            )
            self.record("run.ended", outcome=outcome, reason=reason)

    def request_cancel(self) -> bool:
        """Ask the run to end as cancelled, in any phase. The tick acts on it; False when it is over."""
        return self._request("cancel_requested_at")

    def request_end(self) -> bool:
        """Ask a running run to end early, as ended."""
        return self._request("end_requested_at")

    def _request(self, column: str) -> bool:
        with self.locked():
            if self.is_final or self.status == Status.IMPORTING:
                return False
            if getattr(self, column) is None:
                setattr(self, column, timezone.now())
                self.save(update_fields=[column])
                ring(self.pk)
        return True

    def take_lease(self, holder: str, seconds: float) -> bool:
        """Become the one that drives this run, or stay it. A lease that ran out may be taken by anybody."""
        now = timezone.now()
        free = models.Q(lease_holder__in=["", holder]) | models.Q(lease_until__lt=now) | models.Q(lease_until=None)
        until = now + timedelta(seconds=seconds)
        return bool(Run.objects.filter(free, pk=self.pk).update(lease_holder=holder, lease_until=until))

    def drop_lease(self, holder: str) -> None:
        """Let go, if still held."""
        Run.objects.filter(pk=self.pk, lease_holder=holder).update(lease_holder="", lease_until=None)

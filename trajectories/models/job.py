"""Imports under way: how far each has come, so that one that was killed goes on and a page can show it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from django.db import models
from django.db.models import Q

from trajectories.models.stream import now_ms

STOPPED = "stopped by"
SILENT_MS = 60_000  # a holder of another host is taken for dead after this


class ImportJob(models.Model):
    """One bundle on its way in. `done` of `total`: lines written while simulating, bytes while storing, events while deriving.

    `lines` says up to which line each source is stored: an import that goes on begins after it. `file` is the fingerprint of the bundle
    that this holds for. `simulate` holds the arguments of a bundle that has to be written first.
    """

    class Phase(models.TextChoices):
        """Where it is."""

        WAITING = "waiting"
        SIMULATING = "simulating"
        STORING = "storing"
        DERIVING = "deriving"
        DONE = "done"
        REFUSED = "refused"

    OVER = (Phase.DONE, Phase.REFUSED)  # nothing more will happen

    name = models.CharField(max_length=200)
    path = models.CharField(max_length=500)
    ours = models.BooleanField(default=False)  # the file is removed once it is in
    simulate = models.JSONField(null=True)
    run = models.ForeignKey("runs.Run", models.SET_NULL, null=True, related_name="imports")
    person = models.CharField(max_length=150, default="")
    phase = models.CharField(max_length=12, choices=Phase.choices, default=Phase.WAITING)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    file = models.CharField(max_length=64, default="")
    lines = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    rejections = models.JSONField(default=list)
    error = models.CharField(max_length=300, default="")
    holder = models.CharField(max_length=120, default="")
    started_at = models.BigIntegerField(default=now_ms)
    moved_at = models.BigIntegerField(default=now_ms)

    def __str__(self) -> str:
        return f"{self.name}: {self.phase}"

    @property
    def over(self) -> bool:
        """Nothing more will happen."""
        return self.phase in self.OVER

    @property
    def per_cent(self) -> int | None:
        """How much of the present phase is done; None while nobody knows."""
        return min(100, self.done * 100 // self.total) if self.total else None

    def take(self) -> bool:
        """Become the one that brings it in. False if another process that lives is at it."""
        if self.holder and self.holder != me() and is_alive(self.holder, self.moved_at):
            return False
        free = Q(pk=self.pk, holder=self.holder)
        found = type(self).objects.filter(free).update(holder=me(), moved_at=now_ms())
        self.holder = me()
        return bool(found)

    def tell(self, **facts: Any) -> None:
        """Write down how far it is. What was refused or stopped stays so."""
        facts["moved_at"] = now_ms()
        for name, value in facts.items():
            setattr(self, name, value)
        type(self).objects.filter(pk=self.pk).exclude(phase=self.Phase.REFUSED).update(**facts)

    def stop(self, person: str) -> bool:
        """End it for good; whoever is at it stops at the next safe place. False if it was over already."""
        alive = type(self).objects.filter(pk=self.pk).exclude(phase__in=self.OVER)
        facts = {"phase": self.Phase.REFUSED, "error": f"{STOPPED} {person}", "holder": "", "moved_at": now_ms()}
        return bool(alive.update(**facts))

    @property
    def stopped(self) -> bool:
        """A person ended it."""
        return self.phase == self.Phase.REFUSED and self.error.startswith(STOPPED)

    @classmethod
    def left_alone(cls) -> list[int]:
        """Jobs of this app that are not over and that nobody alive is at."""
        waiting = cls.objects.filter(ours=True).exclude(phase__in=cls.OVER)
        return [job.pk for job in waiting if not (job.holder and is_alive(job.holder, job.moved_at))]


def me() -> str:
    """This process, as a holder: host, pid and when it started, so that a pid used again is not mistaken for it."""
    return f"{socket.gethostname()}:{os.getpid()}:{_born(os.getpid())}"


def is_alive(holder: str, moved_at: int) -> bool:
    """True while that process may still be at it."""
    host, pid, born = [*holder.split(":"), "", ""][:3]
    if host != socket.gethostname():
        return now_ms() - moved_at < SILENT_MS
    return pid.isdigit() and _born(int(pid)) == born != ""


def _born(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""

"""The outbox of source `run`: what the launcher, monitor and scorer did, in the transaction that did it."""

from __future__ import annotations

from django.db import models


class RunEvent(models.Model):
    """One run event. `fields` holds what the kind declares, and `worker` where one is meant. Written by `Run.record` only."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="run_events")
    n = models.PositiveIntegerField()  # dense from 1 per run
    at = models.BigIntegerField()  # ms since the epoch
    kind = models.CharField(max_length=40)
    fields = models.JSONField(default=dict)

    class Meta:
        db_table = "runs_runevent"
        ordering = ["n"]
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="runevent_n_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.n}"

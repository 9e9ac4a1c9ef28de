"""A worker: one coding agent of a run, over all its lives."""

from __future__ import annotations

from django.db import models


def worker_name(n: int) -> str:
    """`w0017`: the name of a worker everywhere outside State, API and URLs. Names are never parsed back."""
    return f"w{n:04d}"


class Worker(models.Model):
    """Roster row and process status. `life` counts its processes; `handle` is what the backend needs to find the present one."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        STARTING = "starting"
        ALIVE = "alive"
        SILENT = "silent"
        DEAD = "dead"
        ENDED = "ended"

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="workers")
    n = models.PositiveIntegerField()
    name = models.CharField(max_length=16)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    life = models.PositiveIntegerField(default=0)
    harness = models.CharField(max_length=40)
    model = models.CharField(max_length=120)
    node = models.CharField(max_length=80, default="local")
    gitea_login = models.CharField(max_length=80, blank=True, default="")
    gitea_id = models.BigIntegerField(null=True, blank=True)
    mattermost_username = models.CharField(max_length=80, blank=True, default="")
    mattermost_id = models.CharField(max_length=40, blank=True, default="")
    handle = models.JSONField(default=dict, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["n"]
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="worker_n_once")]

    def __str__(self) -> str:
        return self.name

    def enrol(self) -> None:
        """Record the roster row; the latest wins."""
        names = ("name", "node", "harness", "model", "gitea_login", "gitea_id", "mattermost_username", "mattermost_id")
        self.run.record("worker.enrolled", worker=self.n, **{name: getattr(self, name) for name in names})

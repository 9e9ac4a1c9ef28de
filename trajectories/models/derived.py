"""What it means, and caches of it. Every row here is disposable: `manage.py rederive RUN` makes it again from the events."""

from __future__ import annotations

from django.db import models


class Change(models.Model):
    """One record of the change log. `key` and `fields` are JSON text; `c` is dense from 1 in its generation."""

    pk = models.CompositePrimaryKey("run_id", "generation", "c")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="changes", db_index=False)
    generation = models.PositiveIntegerField()
    c = models.BigIntegerField()
    at = models.BigIntegerField()
    ref = models.CharField(max_length=200)
    op = models.CharField(max_length=6)
    table = models.CharField(max_length=20)
    key = models.TextField()
    fields = models.TextField()

    def __str__(self) -> str:
        return f"{self.generation}/{self.c}"


class Keyframe(models.Model):
    """The fold at a place of the change log, so that no seek starts at zero.

    It holds exactly the events with arrival number <= `n` and time <= `at`. One that is only shown, in a settled log, says 0 for `n`.
    """

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="keyframes")
    generation = models.PositiveIntegerField()
    c = models.BigIntegerField()
    n = models.BigIntegerField()
    at = models.BigIntegerField()
    snapshot = models.BinaryField()  # zstd JSON of Fold.snapshot()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "generation", "c"], name="keyframe_once")]
        indexes = [models.Index(fields=["run", "generation", "at"], name="keyframe_at")]

    def __str__(self) -> str:
        return f"{self.generation}/{self.c}"


class Segment(models.Model):
    """One piece of the timeline, ready to send: `body` is gzip of the AGTL bytes, `etag` its SHA-256."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="segments")
    generation = models.PositiveIntegerField()
    k = models.PositiveIntegerField()
    rows = models.PositiveIntegerField()
    t_min = models.BigIntegerField()
    t_max = models.BigIntegerField()
    bytes = models.PositiveIntegerField()
    etag = models.CharField(max_length=64)
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "generation", "k"], name="segment_once")]

    def __str__(self) -> str:
        return f"{self.generation}/{self.k}"


class Tile(models.Model):
    """A picture of a settled run, ready to send: `body` is gzip of the tile's bytes, `etag` their SHA-256."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="tiles")
    generation = models.PositiveIntegerField()
    name = models.CharField(max_length=20)
    bytes = models.PositiveIntegerField()
    etag = models.CharField(max_length=64)
    body = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "generation", "name"], name="tile_once")]

    def __str__(self) -> str:
        return f"{self.generation}/{self.name}"

"""What sources handed over, raw: the one thing that cannot be derived again."""

from __future__ import annotations

from django.db import models


class Delivery(models.Model):
    """One raw delivery, stored once. `at`, `seq` and `skew_ms` are fixed by the first copy.

    Times are ms since the epoch. `body` is the zstd-compressed raw JSON text, `bytes` its length before.
    `skipped` says why it gave no events; empty when it gave some.
    """

    pk = models.CompositePrimaryKey("run_id", "source", "delivery")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="deliveries", db_index=False)
    source = models.CharField(max_length=12)
    delivery = models.CharField(max_length=160)  # the source's id
    seq = models.BigIntegerField()
    at = models.BigIntegerField()
    received_at = models.BigIntegerField()
    skew_ms = models.BigIntegerField(default=0)
    headers = models.TextField(default="{}")  # JSON
    body = models.BinaryField()
    bytes = models.PositiveIntegerField()
    skipped = models.CharField(max_length=300, default="")

    def __str__(self) -> str:
        return f"{self.source}:{self.delivery}"


class Blob(models.Model):
    """A long string cut out of an ACP message, by its SHA-256."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="blobs")
    sha256 = models.CharField(max_length=64)
    bytes = models.PositiveIntegerField()
    body = models.BinaryField()  # zstd

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "sha256"], name="blob_once")]

    def __str__(self) -> str:
        return self.sha256


class Spool(models.Model):
    """Which ACP items of one life of a worker are stored: `ranges` = JSON [[first, last], ..], merged and rising."""

    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="spools")
    worker = models.PositiveIntegerField()
    life = models.PositiveIntegerField()
    ranges = models.TextField(default="[]")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "worker", "life"], name="spool_once")]

    def __str__(self) -> str:
        return f"{self.worker}-{self.life}"

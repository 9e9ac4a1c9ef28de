"""Rows too many to be rows: step events and settled changes, many to a row and compressed."""

from __future__ import annotations

from django.db import models


class Pack(models.Model):
    """The tallies of one ACP delivery. `body` = a glance of them, then zstd JSON `[[n - first n, at, item, part, kind, fields], ..]` in order
    of arrival (`packed.py`).

    `n`..`last_n` are arrival numbers (events between them that are no tallies are rows), `item`..`last_item` ACP items.
    """

    pk = models.CompositePrimaryKey("run_id", "n")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="packs", db_index=False)
    n = models.BigIntegerField()
    last_n = models.BigIntegerField()
    at = models.BigIntegerField()  # of the earliest, ms
    last_at = models.BigIntegerField()
    worker = models.PositiveIntegerField()
    life = models.PositiveIntegerField()
    item = models.BigIntegerField()
    last_item = models.BigIntegerField()
    count = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        indexes = [
            models.Index(fields=["run", "at"], name="pack_at"),
            models.Index(fields=["run", "worker", "life", "item"], name="pack_item"),
        ]

    def __str__(self) -> str:
        return f"{self.count} events from {self.n}"


class ChangePack(models.Model):
    """Changes `c`..`last_c` of a settled log. `body` = zstd JSON `[[at, ref, op, table, key, fields], ..]`, key and fields as JSON text."""

    pk = models.CompositePrimaryKey("run_id", "generation", "c")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="change_packs", db_index=False)
    generation = models.PositiveIntegerField()
    c = models.BigIntegerField()
    last_c = models.BigIntegerField()
    at = models.BigIntegerField()  # of the first, ms; a settled log rises in time
    last_at = models.BigIntegerField()
    body = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["run", "generation", "at"], name="change_pack_at")]

    def __str__(self) -> str:
        return f"{self.generation}/{self.c}..{self.last_c}"

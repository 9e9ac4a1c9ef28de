"""Texts of a run put up to be searched, and how far the inboxes have come. Disposable: `manage.py rederive RUN` makes them again."""

from __future__ import annotations

from django.db import models


class SearchPart(models.Model):
    """The documents of events `n`..`upto`, in order of arrival; the last part's `upto` is how far the index has come.

    `grams` says which short pieces of text may be there, `body` holds the documents folded, `shown` as people read them (all zstd).
    """

    pk = models.CompositePrimaryKey("run_id", "n")
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="search_parts", db_index=False)
    n = models.BigIntegerField()
    upto = models.BigIntegerField()
    at = models.BigIntegerField()  # of the earliest, ms
    last_at = models.BigIntegerField()
    count = models.PositiveIntegerField()
    grams = models.BinaryField()
    body = models.BinaryField()
    shown = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.count} documents from {self.n}"


class Reach(models.Model):
    """How far each worker's inbox has come, from the events up to `n`: `body` = zstd JSON, see `transcripts.reach`."""

    run = models.OneToOneField("runs.Run", models.CASCADE, related_name="reach", primary_key=True)
    n = models.BigIntegerField(default=0)
    body = models.BinaryField()

    def __str__(self) -> str:
        return f"inboxes up to {self.n}"

"""Worker tokens: bound to a run, a worker and a life; only their hash is stored."""

from __future__ import annotations

import hashlib
import secrets

from django.db import models


def hashed(token: str) -> str:
    """SHA-256 of a token. Tokens are 256 random bits, so a slow hash would protect nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


class WorkerToken(models.Model):
    """What lets one life of a worker ship its ACP batches. The author of a batch is the token's worker, whatever it says."""

    hash = models.CharField(max_length=64, unique=True)
    run = models.ForeignKey("runs.Run", models.CASCADE, related_name="worker_tokens")
    worker = models.PositiveIntegerField()  # the worker's n
    life = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"worker {self.worker} life {self.life}"

    @classmethod
    def mint(cls, run: models.Model, worker: int, life: int) -> str:
        """A new token `agw_...`; the plain text is returned once and stored nowhere here."""
        plain = f"agw_{secrets.token_urlsafe(32)}"
        cls.objects.create(hash=hashed(plain), run=run, worker=worker, life=life)
        return plain

    @classmethod
    def find(cls, plain: str) -> WorkerToken | None:
        """The token's row with its run, or None."""
        return cls.objects.select_related("run").filter(hash=hashed(plain)).first()

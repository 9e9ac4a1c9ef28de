"""The forge's webhook: where its outbox can be read a wake-up and no more, else the delivery itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from runs.models import Run
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.store import store
from trajectories.live import doorbell
from trajectories.models import Feed, Stream
from trajectories.sources import gitea


class Refused(ValueError):
    """A hook that is not taken, with its HTTP status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def take_hook(run: Run, headers: Mapping[str, str], body: bytes, received_at: int) -> dict[str, Any]:
    """Check the signature over the raw bytes, then store or ring. Raises Refused."""
    forge = run.endpoints.get("forge") or {}
    if not gitea.verify(_secret(forge.get("hook_secret")), body, headers):
        raise Refused(401, "signature")
    if forge.get("outbox"):
        doorbell.ring(run.pk)
        return {"stored": False, "reason": "the outbox is read; this was a wake-up"}
    Stream.of(run.pk)
    with transaction.atomic():
        # The arrival counter is read under the lock of whoever stores, so that two hooks at once do not share a number.
        Stream.objects.select_for_update().get(run_id=run.pk)
        feed = Feed.objects.get_or_create(run=run, source="gitea")[0]
        raw = gitea.hook_delivery(headers, b"null", received_at, feed.deliveries + 1)
        if raw is None:
            raise Refused(400, "X-Gitea-Delivery is missing or is no id")
        hook = Incoming(raw.id, raw.seq, raw.at, received_at, body, dict(raw.headers))
        done = store(run.pk, "gitea", [hook])
        Feed.objects.filter(pk=feed.pk).update(polled_at=received_at)
    doorbell.ring(run.pk)
    return {"stored": bool(done.new), "skipped": bool(done.skipped)}


def _secret(place: Any) -> str:
    """The secret in the file that the endpoints name; empty, and so never verified, when there is none."""
    name = place.get("token_file") if isinstance(place, Mapping) else None
    try:
        return Path(str(name)).read_text().strip() if name else ""
    except OSError:
        return ""

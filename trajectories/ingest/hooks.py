"""The time of a forge hook: hooks keep the order of their ids, whatever the forge's clock did between them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from trajectories.ingest.incoming import Incoming
from trajectories.models import Delivery

WINDOW_MS = 60_000
_SWEEP = "X-Agensh-Sweep"


def keep_order(run_id: int, hooks: Sequence[Incoming]) -> None:
    """Set `at` = max(own, `at` of every lower hook id at most 60 s ahead). Given in any order, sorted here by id."""
    ordered = sorted((hook for hook in hooks if _SWEEP not in hook.headers), key=lambda hook: hook.seq)
    if not ordered:
        return
    floor = min(hook.at for hook in ordered)
    stored = list(
        Delivery.objects.filter(run_id=run_id, source="gitea", at__gt=floor, seq__lt=ordered[-1].seq)
        .exclude(Q(delivery__startswith="pull-") | Q(delivery__startswith="refs-"))
        .order_by("seq")
        .values_list("seq", "at")
    )
    lower: list[int] = []
    for hook in ordered:
        while stored and stored[0][0] < hook.seq:
            lower.append(stored.pop(0)[1])
        ahead = [at for at in lower if hook.at < at <= hook.at + WINDOW_MS]
        if ahead:
            hook.at = max(ahead)
        lower.append(hook.at)
        if len(lower) > 500:  # keep what can still matter
            lower = sorted(lower)[-200:]

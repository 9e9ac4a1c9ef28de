"""Reading the forge on from a cursor: first its outbox table to the end, then, when due, one bounded step of a sweep.

Cursor: `{"id": highest hook_task.id read, "holes": [lower ids not seen yet], "newest": ms, "sweep": sweep memory}`.
Ids of a sequence may become visible out of order, so the last 1,000 unseen ids below the highest are asked for again;
a row is handed out once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from trajectories.sources.base import Pulled, RawDelivery
from trajectories.sources.gitea.hooks import DELIVERY, EVENT_TYPE, EVENT_UUID, decoded
from trajectories.sources.gitea.outbox import PAGE, hooks_after, tested
from trajectories.sources.gitea.sweep import Sweep
from trajectories.sources.outbox import reading

OVERLAP = 1_000


def pull(endpoints: Mapping[str, Any], cursor: Any, *, now: int | None = None, final: bool = False) -> Pulled:
    """The next hooks, and what a sweep saw beside them. `final` sweeps everything at once: the forge is about to stop.

    Raises OutboxUnread. A sweep that fails is noted in `cursor["sweep"]["error"]` and tried again later.
    """
    forge: Mapping[str, Any] = endpoints.get("forge") or {}
    known: dict[str, Any] = dict(cursor) if isinstance(cursor, Mapping) else {}
    memory: dict[str, Any] = dict(known.get("sweep") or {})
    at = time.time_ns() // 1_000_000 if now is None else now
    found: list[RawDelivery] = []
    more = False
    if forge.get("outbox"):
        found, more = _hooks(str(forge["outbox"]), forge, known, at)
        _learn_heads(memory, found)
    if not more and forge.get("url") and forge.get("owner"):
        # The outbox comes first: what a sweep sees is then never older than the hooks before it.
        tables = partial(tested, str(forge.get("outbox") or ""), forge)
        sweep = Sweep(forge, memory, upto=int(known.get("id") or 0), now=at, tested=tables)
        found += sweep.step(final=final)
    known["sweep"] = memory
    hooks = [each.at for each in found if EVENT_TYPE in each.headers]
    known["newest"] = max([*hooks, int(known.get("newest") or 0)]) or None
    return Pulled(found, known, known["newest"], more)


def _hooks(dsn: str, forge: Mapping[str, Any], known: dict[str, Any], now: int) -> tuple[list[RawDelivery], bool]:
    last = int(known.get("id") or 0)
    holes = [int(each) for each in known.get("holes") or []]
    with reading(dsn) as box:
        rows = hooks_after(box, known, last, holes)
    seen = {int(row["id"]) for row in rows}
    reached = max([last, *seen])
    # On the first page rows below the first one may still be on their way too.
    start = last if last else max(0, min(seen, default=1) - OVERLAP)
    missing = (set(holes) | set(range(max(start, reached - OVERLAP) + 1, reached))) - seen
    known["id"] = reached
    known["holes"] = sorted(each for each in missing if each > reached - OVERLAP)
    name = f"{forge.get('owner')}/{forge.get('repo')}"
    found = [each for row in rows if (each := _delivery(row, now)) is not None and _is_of(each, name)]
    return found, len(rows) == PAGE


def _delivery(row: Mapping[str, Any], now: int) -> RawDelivery | None:
    delivered = int(row.get("delivered") or 0) // 1_000_000
    headers = {EVENT_TYPE: str(row["event_type"]), DELIVERY: str(row["uuid"])}
    if row.get("event_uuid"):
        headers[EVENT_UUID] = str(row["event_uuid"])
    at = delivered if 0 < delivered <= now else now
    return RawDelivery(str(row["uuid"]), int(row["id"]), at, now, decoded(str(row["payload_content"] or "")), headers)


def _is_of(delivery: RawDelivery, name: str) -> bool:
    """Whether a hook is of the run's repository; one that names none is kept."""
    body = delivery.body
    repository = body.get("repository") if isinstance(body, Mapping) else None
    given = repository.get("full_name") if isinstance(repository, Mapping) else None
    return not isinstance(given, str) or given.casefold() == name.casefold()


def _learn_heads(memory: dict[str, Any], hooks: list[RawDelivery]) -> None:
    """Keep what the hooks say of every branch's head, for the sweep of refs to differ from."""
    heads: dict[str, str] = dict(memory.get("heads") or {})
    for hook in hooks:
        body, kind = hook.body, hook.headers.get(EVENT_TYPE)
        if not isinstance(body, Mapping):
            continue
        ref = str(body.get("ref") or "")
        if kind == "push" and ref.startswith("refs/heads/"):
            heads[ref.removeprefix("refs/heads/")] = str(body.get("after") or "")
        elif kind == "create" and body.get("ref_type") == "branch":
            heads.setdefault(ref, str(body.get("sha") or ""))
        elif kind == "delete" and body.get("ref_type") == "branch":
            heads.pop(ref, None)
    memory["heads"] = heads

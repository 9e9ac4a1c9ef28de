"""How far every inbox of a run has come: per worker and feed the newest item stored, leased, shown and acknowledged.

Items of a feed move in order, so the newest tells of all before it, as `workers.board_seen` does. `inbox.moved` names them: notes by number,
messages by id. What was shown to a life that then died stays shown: a second delivery takes nothing back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from trajectories.models import Pack, Stream
from trajectories.models.packed import rows_of
from trajectories.models.packing import pack, unpack
from trajectories.models.searched import Reach

STATES = ("stored", "leased", "shown", "acknowledged")
#: feed -> worker -> for each state [newest item, at ms of the move] or None
Inboxes = dict[str, dict[str, list[Any]]]


def take(inboxes: Inboxes, worker: int, at: int, fields: Any) -> None:
    """One `inbox.moved`. Any order of arrival gives the same."""
    feed, state, upto = str(fields.get("feed"))[:20], fields.get("state"), fields.get("upto")
    if state not in STATES or not isinstance(upto, (int, str)) or isinstance(upto, bool):
        return
    row = inboxes.setdefault(feed, {}).setdefault(str(worker), [None] * len(STATES))
    known = row[STATES.index(state)]
    if known is None or _newer(upto, at, known):
        row[STATES.index(state)] = [upto, at]


def _newer(upto: int | str, at: int, known: list[Any]) -> bool:
    if isinstance(upto, int) and isinstance(known[0], int):
        return (upto, -at) > (known[0], -known[1])
    return at > known[1]


def follow(run_id: int) -> None:
    """Take what came since the last time."""
    row = Reach.objects.filter(run_id=run_id).first() or Reach(run_id=run_id, body=pack(b"{}"))
    last = Stream.of(run_id).n
    if last <= row.n and row.pk and row.n:
        return
    inboxes: Inboxes = orjson.loads(unpack(row.body))
    packs = Pack.objects.filter(run_id=run_id, last_n__gt=row.n, n__lte=last).order_by("n")
    moved = False
    for worker, at, fields in _moves(packs.values_list("worker", "body").iterator(200)):
        take(inboxes, worker, at, fields)
        moved = True
    if moved or not Reach.objects.filter(run_id=run_id).exists():
        row.body = pack(orjson.dumps(inboxes))
    row.n = last
    row.save()


def _moves(packs: Iterable[Any]) -> Iterable[tuple[int, int, Any]]:
    for worker, body in packs:
        raw = rows_of(body)
        if b'"inbox.moved"' not in raw:
            continue
        for _, at, _, _, kind, fields in orjson.loads(raw):
            if kind == "inbox.moved":
                yield worker, at, fields


def inboxes_of(run_id: int) -> Inboxes:
    """As far as they were followed."""
    row = Reach.objects.filter(run_id=run_id).first()
    return orjson.loads(unpack(row.body)) if row else {}

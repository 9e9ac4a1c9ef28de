"""ACP items that another batch brought before: found by the few batches whose range of items meets theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter, lt

from django.db import connection

from trajectories.events import TALLIES, Event
from trajectories.ingest.prepared import Items, Prepared
from trajectories.models import EventRow
from trajectories.models.packed import packed_events

Range = tuple[int, int]
# Past the ORM: asked once a batch, and an import has tens of thousands.
_MEET = """SELECT n, worker, life, body FROM trajectories_pack
WHERE run_id = %s AND worker = %s AND life = %s AND item <= %s AND last_item >= %s"""
_item = itemgetter(2, 4)  # seq and part of an event


def are_new(run_id: int, batches: Iterable[Prepared]) -> bool:
    """True if no item of these batches is there twice or is stored already: nothing has to be looked at event by event."""
    ranges: dict[str, Range] = {}
    keys: list[str] = []
    for batch in batches:
        if batch.items is None:
            continue
        items = Items(*batch.items)
        held = ranges.get(items.head)
        if not items.once or (held is not None and items.low <= held[1]):
            return False
        ranges[items.head] = (items.low if held is None else held[0], items.high)
        keys += items.keys
    return not _known(run_id, ranges, keys)


def unseen(run_id: int, batches: Sequence[list[Event]]) -> list[Event]:
    """The events of these batches that are not stored yet, each once; a batch is of one life of one worker."""
    ranges: dict[str, Range] = {}
    apart = True  # no batch of these holds an item twice, or one that another of them holds
    for events in batches:
        places = [*map(_item, events)]
        low, high = places[0][0], places[-1][0]
        apart = apart and all(map(lt, places, places[1:]))
        head = events[0].id[: events[0].id.rindex("-")]
        held = ranges.get(head)
        if held is not None:
            apart = apart and low > held[1]
            low, high = min(low, held[0]), max(high, held[1])
        ranges[head] = (low, high)
    found = [event for events in batches for event in events]
    if not apart:
        first = {(event.id, event.part): event for event in reversed(found)}
        found = [event for event in found if first[event.id, event.part] is event]
        for event in found:
            head = event.id[: event.id.rindex("-")]
            low, high = ranges.get(head, (event.seq, event.seq))
            ranges[head] = (min(low, event.seq), max(high, event.seq))
    known = _known(run_id, ranges, [event.id for event in found if event.kind not in TALLIES])
    return [event for event in found if (event.id, event.part) not in known] if known else found


def _known(run_id: int, ranges: dict[str, Range], single: list[str]) -> set[tuple[str, int]]:
    """(id, part) of the ACP events stored already whose items lie in these ranges."""
    known: set[tuple[str, int]] = set()
    with connection.cursor() as cursor:
        for head, (low, high) in ranges.items():
            worker, _, life = head.partition("-")
            cursor.execute(_MEET, [run_id, int(worker), int(life), high, low])
            for row in cursor.fetchall():
                known.update((event.id, event.part) for _, event in packed_events(row))
    # An item says the same events whenever it is read, so one stored before packs were is found among the rows.
    keys = sorted(set(single))
    for start in range(0, len(keys), 500):
        asked = EventRow.objects.filter(run_id=run_id, source="acp", key__in=keys[start : start + 500])
        known.update(asked.values_list("key", "part"))
    return known

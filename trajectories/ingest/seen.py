"""ACP items that another batch brought before: found by the few batches whose range of items meets theirs."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection

from trajectories.events import Event
from trajectories.models import EventRow
from trajectories.models.packed import is_packed, packed_events

# Past the ORM: asked once a batch, and an import has tens of thousands.
_MEET = """SELECT n, worker, life, body FROM trajectories_pack
WHERE run_id = %s AND worker = %s AND life = %s AND item <= %s AND last_item >= %s"""


def seen_before(run_id: int, events: Sequence[Event]) -> set[tuple[str, int]]:
    """(id, part) of those of these ACP events that are stored already."""
    ranges: dict[str, tuple[int, int]] = {}
    single: set[str] = set()
    for event in events:
        if is_packed(event):
            head = event.id[: event.id.rindex("-")]
            low, high = ranges.get(head, (event.seq, event.seq))
            ranges[head] = (min(low, event.seq), max(high, event.seq))
        else:
            single.add(event.id)
    known: set[tuple[str, int]] = set()
    with connection.cursor() as cursor:
        for head, (low, high) in ranges.items():
            worker, _, life = head.partition("-")
            cursor.execute(_MEET, [run_id, int(worker), int(life), high, low])
            for row in cursor.fetchall():
                known.update((event.id, event.part) for _, event in packed_events(row))
    # An item says the same events whenever it is read, so one stored before packs were is found among the rows.
    keys = sorted(single)
    for start in range(0, len(keys), 500):
        asked = EventRow.objects.filter(run_id=run_id, source="acp", key__in=keys[start : start + 500])
        known.update(asked.values_list("key", "part"))
    return known

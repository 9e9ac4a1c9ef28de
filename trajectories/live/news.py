"""What a socket is told: the newest place of the log, and the records between two places, serialised once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.db import connection

from trajectories.live import records
from trajectories.models import Stream

BYTES = 256 * 1024
RECORDS = 2_000


@dataclass(frozen=True, slots=True)
class News:
    """A place: the newest change `c` of a generation, and the newest event number `n`."""

    generation: int = 1
    c: int = 0
    n: int = 0

    def pointer(self) -> str:
        """“The log is here: read what you lack over HTTP.”"""
        return f'{{"generation":{self.generation},"to":{self.c},"n":{self.n}}}'


def newest(run_ids: Iterable[int]) -> dict[int, News]:
    """The newest place of each run, in one query: asked several times a second, so its text is made once for as many runs."""
    wanted = list(run_ids)
    if not wanted:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_newest(len(wanted)), wanted)
        return {run_id: News(generation, c, n) for run_id, generation, c, n in cursor.fetchall()}


@cache
def _newest(count: int) -> str:
    places = ", ".join(["%s"] * count)
    return f"SELECT run_id, generation, c, n FROM {Stream._meta.db_table} WHERE run_id IN ({places})"  # noqa: S608


def read_news(run_id: int, before: News, now: News) -> str:
    """The message that leads from `before` to `now`: the records, or the pointer where they are too many."""
    if now.generation != before.generation or not 0 < now.c - before.c <= RECORDS:
        return now.pointer()
    texts = [records.text(record) for record in records.fresh(run_id, now.generation, before.c, now.c)]
    head = f'{{"generation":{now.generation},"from":{before.c + 1},"to":{now.c},"n":{now.n},"changes":['
    message = head + ",".join(texts) + "]}"
    return message if len(message) <= BYTES else now.pointer()

"""A run's counters, asked and moved once a batch: past the ORM, whose making of a query takes longer than the query."""

from __future__ import annotations

from django.db import connection

from trajectories.models import Feed, Spool, Stream

_N = "SELECT n FROM trajectories_stream WHERE run_id = %s"
_MOVE = "UPDATE trajectories_stream SET n = %s WHERE run_id = %s"
_NOTE = """UPDATE trajectories_feed SET deliveries = deliveries + %s, skipped = skipped + %s,
newest_at = CASE WHEN newest_at > %s THEN newest_at ELSE %s END WHERE run_id = %s AND source = %s"""
_POLLED = "UPDATE trajectories_feed SET polled_at = %s WHERE run_id = %s AND source = %s"
_SPOOL = "SELECT ranges FROM trajectories_spool WHERE run_id = %s AND worker = %s AND life = %s"
_KEEP = "UPDATE trajectories_spool SET ranges = %s WHERE run_id = %s AND worker = %s AND life = %s"


def locked(run_id: int) -> int:
    """The newest arrival number, and with it the run's stream row, held until the present transaction ends."""
    # On SQLite the transaction itself holds off every other that writes.
    held = f"{_N} FOR UPDATE" if connection.vendor == "postgresql" else _N
    with connection.cursor() as cursor:
        row = cursor.execute(held, [run_id]).fetchone()
        if row is None:
            Stream.of(run_id)
            row = cursor.execute(held, [run_id]).fetchone()
    return int(row[0])


def moved(run_id: int, n: int) -> None:
    """The newest arrival number is `n` now."""
    with connection.cursor() as cursor:
        cursor.execute(_MOVE, [n, run_id])


def note(run_id: int, source: str, newest_at: int, deliveries: int, skipped: int) -> None:
    """What came from a source, and how new it is."""
    values: list[int | str] = [deliveries, skipped, newest_at, newest_at, run_id, source]
    with connection.cursor() as cursor:
        if not cursor.execute(_NOTE, values).rowcount:
            Feed.objects.get_or_create(run_id=run_id, source=source)
            cursor.execute(_NOTE, values)


def polled(run_id: int, source: str, at: int) -> None:
    """A source spoke at `at`, whether or not it said anything new."""
    with connection.cursor() as cursor:
        if not cursor.execute(_POLLED, [at, run_id, source]).rowcount:
            Feed.objects.get_or_create(run_id=run_id, source=source, defaults={"polled_at": at})


def heard(run_id: int, worker: int, life: int) -> str:
    """Which items of a worker's life are stored: the ranges of its spool, held until the present transaction ends."""
    held = f"{_SPOOL} FOR UPDATE" if connection.vendor == "postgresql" else _SPOOL
    with connection.cursor() as cursor:
        row = cursor.execute(held, [run_id, worker, life]).fetchone()
        if row is None:
            Spool.objects.get_or_create(run_id=run_id, worker=worker, life=life)
            row = cursor.execute(held, [run_id, worker, life]).fetchone()
    return str(row[0])


def keep_heard(run_id: int, worker: int, life: int, ranges: str) -> None:
    """These are the ranges now."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [ranges, run_id, worker, life])

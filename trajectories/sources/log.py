"""Logs of our own services, numbered without gaps: read on over HTTP, and from their database once the service is gone."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from trajectories.events import millis
from trajectories.sources.base import Pulled, RawDelivery

PAGE = 1_000
TIMEOUT_S = 5.0
SKEW_MS = 5_000


@dataclass(frozen=True, slots=True)
class Log:
    """A service's log: its key in the endpoints, its path, the name of its rows and of their number, and the same as SQL."""

    endpoint: str
    path: str
    rows: str
    number: str
    sql: str


def pull(log: Log, endpoints: Mapping[str, Any], cursor: Any) -> Pulled:
    """The next page. Raises OSError or httpx.HTTPError if neither the service nor its database can be read.

    A clock more than 5 s off (the page says when it was sent) is corrected in `at`; the difference is kept as `skew_ms`.
    """
    after = cursor if isinstance(cursor, int) else 0
    place = endpoints.get(log.endpoint)
    if not isinstance(place, Mapping) or not place.get("url"):
        return Pulled([], after)
    try:
        page = _over_http(log, str(place["url"]), _token(endpoints, place), after)
    except httpx.TransportError:
        if not place.get("outbox"):
            raise
        page = {log.rows: _from_database(log, str(place["outbox"]), after)}
    now = time.time_ns() // 1_000_000
    skew = now - millis(page["sent_at"]) if "sent_at" in page else 0
    skew = skew if abs(skew) > SKEW_MS else 0
    deliveries = [
        RawDelivery(
            id=str(row[log.number]),
            seq=row[log.number],
            at=millis(row["at"]) + skew,
            received_at=now,
            body=row,
            skew_ms=skew,
        )
        for row in page[log.rows]
    ]
    last = deliveries[-1] if deliveries else None
    return Pulled(deliveries, last.seq if last else after, last.at if last else None, more=len(deliveries) == PAGE)


def _over_http(log: Log, url: str, token: str, after: int) -> dict[str, Any]:
    answer = _client().get(
        f"{url.rstrip('/')}{log.path}",
        params={"after": after, "limit": PAGE},
        headers={"Authorization": f"Bearer {token}"},
    )
    answer.raise_for_status()
    page: dict[str, Any] = answer.json()
    return page


@cache
def _client() -> httpx.Client:
    """One client for all runs: loading certificates for each poll would cost more than the poll."""
    return httpx.Client(timeout=httpx.Timeout(TIMEOUT_S, connect=2), trust_env=False)


def _token(endpoints: Mapping[str, Any], place: Mapping[str, Any]) -> str:
    if place.get("token"):
        return str(place["token"])
    folder = (endpoints.get("run") or {}).get("folder") or "."
    with contextlib.suppress(OSError):
        return (Path(folder) / str(place.get("token_file", ""))).read_text().strip()
    return ""


def _from_database(log: Log, dsn: str, after: int) -> list[dict[str, Any]]:
    if dsn.startswith("sqlite:"):
        path = dsn.removeprefix("sqlite:///")
        try:
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=TIMEOUT_S)) as db:
                rows = db.execute(log.sql, (after, PAGE)).fetchall()
        except sqlite3.Error as error:
            raise OSError(f"{log.endpoint} log {path}: {error}") from error
    else:
        import psycopg

        try:
            with psycopg.connect(dsn, connect_timeout=5) as connection:
                rows = connection.execute(log.sql.replace("?", "%s").encode(), (after, PAGE)).fetchall()
        except psycopg.Error as error:
            raise OSError(f"{log.endpoint} log: {error}") from error
    return [json.loads(row[0]) for row in rows]

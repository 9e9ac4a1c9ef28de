"""HTTP ingest: batches of 500 items into a running app until they are committed, beside reading and upserting the same payloads in process."""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import psycopg
from django.db import connection

from trajectories.bench.importing import upsert
from trajectories.bench.served import served

BATCHES, ITEMS, HANDS = 120, 500, 4


def http_ingest() -> dict[str, Any]:
    """Items a second from the first request to the last answer: an answer says that they are committed.

    `ratio` is by the clock; `ratio_derived` the same up to the moment at which all that they mean is in the log of changes;
    `ratio_cpu` by the processor time of the app (its deriver included, which works at the same time) beside that of reading and
    upserting, where the database is in the process: other programs on the machine do not stretch it.
    """
    bodies = [_body(worker, k) for worker in range(1, HANDS + 1) for k in range(BATCHES // HANDS)]
    with _database() as database, served(HANDS, database) as app, ThreadPoolExecutor(HANDS) as pool:
        mine = [bodies[k::1][: BATCHES // HANDS] for k in range(0, BATCHES, BATCHES // HANDS)]
        began, spent = time.perf_counter(), _processor_s(app["pid"])
        sent = sum(pool.map(lambda k: _ship(app, k, mine[k]), range(HANDS)))
        ours, at_last = time.perf_counter() - began, _processor_s(app["pid"])
        derived = _derived_s(app, database, began)
        whole, spent = _processor_s(app["pid"]) - spent, at_last - spent
    began, start = time.perf_counter(), time.process_time()
    rows = [
        ("acp", f"{told['worker']}-1-{item['n']}", item["n"], orjson.dumps(item))
        for told in map(orjson.loads, bodies)
        for item in told["items"]
    ]
    read, read_cpu = time.perf_counter() - began, time.process_time() - start
    count, written, written_cpu = upsert(iter(rows))
    assert count == sent == BATCHES * ITEMS
    ceiling = read + written
    told: dict[str, Any] = {"items": sent, "items_per_s": round(sent / ours), "ceiling_per_s": round(sent / ceiling)}
    told |= {"database": connection.vendor, "app_cpu_us_per_item": round(spent / sent * 1e6, 1)}
    # Not only committed: what it means is told too, and nothing of it is left to do.
    told |= {"derived_per_s": round(sent / derived), "derived_cpu_us_per_item": round(whole / sent * 1e6, 1)}
    told["ratio_derived"] = round(ceiling / derived, 3)
    if not database:
        told["ratio_cpu"] = round((read_cpu + written_cpu) / spent, 3)
    return {**told, "ratio": round(ceiling / ours, 3), "goal": 0.4}


@contextmanager
def _database() -> Iterator[str]:
    """The URL of an empty database on the present PostgreSQL, gone afterwards; "" where the present one is SQLite."""
    if connection.vendor != "postgresql":
        yield ""
        return
    name = f"bench_{uuid.uuid4().hex[:12]}"
    _outside(f'CREATE DATABASE "{name}"')
    try:
        yield urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    finally:
        _outside(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _outside(statement: str) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as link:
        link.execute(statement)


def _derived_s(app: dict[str, Any], database: str, began: float) -> float:
    """Seconds until the log of changes holds what all items mean."""
    opened: Any = (
        psycopg.connect(database, autocommit=True)
        if database
        else sqlite3.connect(f"file:{app['folder']}/agensh.sqlite3?mode=ro", uri=True)
    )
    with closing(opened) as link:
        while True:
            now = time.perf_counter() - began
            if link.execute("SELECT n = derived_n FROM trajectories_stream").fetchone()[0]:
                return now
            time.sleep(0.02)


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ship(app: dict[str, Any], hand: int, bodies: list[bytes]) -> int:
    headers = {"Authorization": f"Bearer {app['tokens'][hand]}", "X-Agensh-Harness": "mini/1"}  # as a worker says
    with httpx.Client(base_url=app["url"], timeout=60, headers=headers) as client:
        for body in bodies:
            answer = client.post(f"/ingest/{app['slug']}/acp", content=body)
            assert answer.status_code == 200, answer.text[:200]
    return ITEMS * len(bodies)


def _body(worker: int, k: int) -> bytes:
    items = []
    for n in range(1 + k * ITEMS, 1 + (k + 1) * ITEMS):
        update: dict[str, Any] = {"toolCallId": f"call-{n // 2}"}
        if n % 2:
            update |= {
                "sessionUpdate": "tool_call",
                "title": "pytest -q tests/board",
                "kind": "execute",
                "status": "pending",
            }
        else:
            update |= {"sessionUpdate": "tool_call_update", "status": "completed", "rawOutput": {"exit_code": 0}}
        msg = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": update}}
        at = f"2027-01-15T08:{n // 60_000 % 60:02d}:{n // 1000 % 60:02d}.{n % 1000:03d}Z"
        items.append({"n": n, "at": at, "dir": "from_agent", "session": 1, "turn": 1, "msg": msg})
    return orjson.dumps({"worker": worker, "life": 1, "sent_at": None, "items": items})

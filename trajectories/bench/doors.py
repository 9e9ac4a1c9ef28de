"""HTTP ingest: batches of 500 items into a running app until they are committed, beside reading and upserting the same payloads in process."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import orjson

from trajectories.bench.importing import upsert
from trajectories.bench.served import served

BATCHES, ITEMS, HANDS = 60, 500, 4


def http_ingest() -> dict[str, Any]:
    """Items a second from the first request to the last answer: an answer says that they are committed."""
    bodies = [_body(worker, k) for worker in range(1, HANDS + 1) for k in range(BATCHES // HANDS)]
    with served(HANDS) as app, ThreadPoolExecutor(HANDS) as pool:
        mine = [bodies[k::1][: BATCHES // HANDS] for k in range(0, BATCHES, BATCHES // HANDS)]
        began = time.perf_counter()
        sent = sum(pool.map(lambda k: _ship(app, k, mine[k]), range(HANDS)))
        ours = time.perf_counter() - began
    began = time.perf_counter()
    rows = [
        ("acp", f"{told['worker']}-1-{item['n']}", item["n"], orjson.dumps(item))
        for told in map(orjson.loads, bodies)
        for item in told["items"]
    ]
    read = time.perf_counter() - began
    count, written, _ = upsert(iter(rows))
    assert count == sent == BATCHES * ITEMS
    ceiling = read + written
    told = {"items": sent, "items_per_s": round(sent / ours), "ceiling_per_s": round(sent / ceiling)}
    return {**told, "ratio": round(ceiling / ours, 3), "goal": 0.4}


def _ship(app: dict[str, Any], hand: int, bodies: list[bytes]) -> int:
    headers = {"Authorization": f"Bearer {app['tokens'][hand]}"}
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

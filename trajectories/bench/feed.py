"""A synthetic feed through the real ingest doors: steps and turns in ACP batches, and pulls by signed hooks that a page can be asked for."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
import uuid
from datetime import UTC, datetime
from typing import Any

import httpx

BATCHES_S = 20  # batches a second, however many events they hold
PROBE_S = 0.5
TRIES = 20


class Feed:
    """Ships `rate` events a second until stopped, and opens a pull `visible-K` every `probe_s`, with `words` in its title and branch; `emitted` = K to ms."""

    def __init__(self, app: dict[str, Any], rate: int, probe_s: float = PROBE_S, words: str = "") -> None:
        self.app, self.rate, self.probe_s, self.words = app, rate, probe_s, words
        self.emitted: dict[int, float] = {}
        self.shipped = self.refused = 0
        self.stop = threading.Event()
        self.items: list[int] = app.setdefault("items", [0] * len(app["tokens"]))  # a later feed goes on from there
        self.threads = [threading.Thread(target=each, daemon=True) for each in (self._steps, self._pulls)]

    def __enter__(self) -> Feed:
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(30)
        self.seconds = time.monotonic() - self.began

    def _steps(self) -> None:
        each, place = max(2, self.rate // BATCHES_S), 0
        with httpx.Client(base_url=self.app["url"], timeout=30) as client:
            while not self.stop.is_set():
                due = self.began + place / BATCHES_S
                time.sleep(max(0.0, due - time.monotonic()))
                worker = place % len(self.items)
                self._ship(client, worker, each)
                place += 1

    def _ship(self, client: httpx.Client, worker: int, count: int) -> None:
        items = [self._item(worker, k) for k in range(count)]
        body = {"worker": worker + 1, "life": 1, "sent_at": _now(), "items": items}
        headers = {"Authorization": f"Bearer {self.app['tokens'][worker]}"}
        answer = self._post(client, f"/ingest/{self.app['slug']}/acp", json.dumps(body).encode(), headers)
        if answer.status_code == 200:
            self.shipped += count
        else:
            self.refused += count

    def _post(self, client: httpx.Client, path: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
        """An app that does not answer is asked again with the same, as a worker's spool does."""
        for _ in range(TRIES):
            try:
                return client.post(path, content=body, headers=headers)
            except httpx.TransportError:
                if self.stop.wait(1):
                    break
        return client.post(path, content=body, headers=headers)

    def _item(self, worker: int, k: int) -> dict[str, Any]:
        self.items[worker] = n = self.items[worker] + 1
        head = {"n": n, "at": _now(), "session": 1, "turn": 1 + n // 40}
        if n % 40 in (1, 39):
            kind = "turn.started" if n % 40 == 1 else "turn.finished"
            return {
                **head,
                "dir": "loop",
                "msg": {"kind": kind, "turn": head["turn"], "trigger": "inbox", "stop_reason": "end_turn"},
            }
        call, done = f"call-{n // 2}", n % 2 == 0
        update = (
            {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"}
            if done
            else {
                "sessionUpdate": "tool_call",
                "toolCallId": call,
                "title": "Run tests",
                "kind": "execute",
                "status": "in_progress",
            }
        )
        params = {"sessionId": "s1", "update": update}
        return {**head, "dir": "from_agent", "msg": {"jsonrpc": "2.0", "method": "session/update", "params": params}}

    def _pulls(self) -> None:
        with httpx.Client(base_url=self.app["url"], timeout=30) as client:
            while not self.stop.wait(self.probe_s):
                self.app["pulls"] = number = self.app.get("pulls", 0) + 1
                body = json.dumps(_pull(number, 1 + number % len(self.items), self.words)).encode()
                signature = hmac.new(self.app["secret"].encode(), body, hashlib.sha256).hexdigest()
                headers = {
                    "X-Gitea-Event-Type": "pull_request",
                    "X-Gitea-Delivery": str(uuid.uuid4()),
                    "X-Gitea-Signature": signature,
                }
                self.emitted[number] = time.time() * 1000
                self._post(client, f"/ingest/{self.app['slug']}/gitea", body, headers).raise_for_status()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _pull(number: int, author: int, words: str = "") -> dict[str, Any]:
    user = {"id": author, "login": f"w{author:04d}"}
    branch = f"w{author:04d}/probe-{number}{words}"
    pull = {
        "id": number,
        "number": number,
        "user": user,
        "title": f"visible-{number}{words}",
        "body": "",
        "state": "open",
        "merged": False,
    }
    pull |= {
        "base": {"ref": "main", "sha": "a" * 40},
        "head": {"ref": branch, "sha": f"{number:040x}"},
        "created_at": _now(),
        "updated_at": _now(),
    }
    repository = {"id": 1, "name": "calc", "full_name": "team/calc", "default_branch": "main"}
    return {"action": "opened", "number": number, "pull_request": pull, "repository": repository, "sender": user}

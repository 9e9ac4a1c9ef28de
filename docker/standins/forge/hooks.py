"""The outbox: one `hook_task` row per event and hook, in the transaction of what it tells; then one try to send it."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import httpx

from standins.forge.forge import Forge, Row

_REVIEWS = ("pull_request_review_approved", "pull_request_review_rejected", "pull_request_review_comment")
# `pull_request` selects every sub-event; the three verdicts are chosen, and named in a hook, as one.
_PULLS = (
    "pull_request",
    "pull_request_assign",
    "pull_request_label",
    "pull_request_milestone",
    "pull_request_comment",
    "pull_request_review",
    "pull_request_review_request",
    "pull_request_sync",
)
_HEADER_OF = {
    "pull_request_review_approved": "pull_request_approved",
    "pull_request_review_rejected": "pull_request_rejected",
    "pull_request_review_comment": "pull_request_comment",
    "pull_request_comment": "issue_comment",
    "pull_request_sync": "pull_request",
    "pull_request_review_request": "pull_request",
}


def selected(events: list[str]) -> list[str]:
    """The event types a hook asks for; none given means pushes only."""
    found: list[str] = []
    for event in events or ["push"]:
        found += [each for each in (_PULLS if event == "pull_request" else (event,)) if each not in found]
    return found


def emit(forge: Forge, repo: Row, event_type: str, payload: dict[str, Any]) -> None:
    """Write the event into the outbox for every hook that wants it. Call inside the change that it tells."""
    text = ""
    for hook in forge.store.all("SELECT id, events FROM webhook WHERE repo_id = ? AND active = 1", repo["id"]):
        asked = "pull_request_review" if event_type in _REVIEWS else event_type
        if asked not in json.loads(hook["events"]):
            continue
        text = text or json.dumps(payload, indent=2, ensure_ascii=False)
        forge.store.add(
            "hook_task",
            hook_id=hook["id"],
            uuid=str(uuid.uuid4()),
            payload_content=text,
            payload_version=2,
            event_type=event_type,
            is_delivered=0,
            delivered=time.time_ns(),
            is_succeed=0,
            request_content="",
            response_content="",
        )


class Sender:
    """Sends what the outbox holds, each row at most once, in the order of ids; a failure is noted and forgotten."""

    def __init__(self, forge: Forge, timeout_s: float = 5.0) -> None:
        self.forge = forge
        self._client = httpx.Client(timeout=timeout_s, trust_env=False)
        self._last = 0

    def send_due(self, stopped: Callable[[], bool]) -> None:
        """Send what waits."""
        rows = self.forge.store.all(
            "SELECT t.id, t.uuid, t.payload_content, t.event_type, w.url, w.secret FROM hook_task t "
            "JOIN webhook w ON w.id = t.hook_id WHERE t.id > ? AND t.is_delivered = 0 ORDER BY t.id",
            self._last,
        )
        for row in rows:
            if stopped():
                return
            self._last = row["id"]
            # Marked before the call: a crash in between loses the webhook and never doubles it.
            self.forge.store.set("hook_task", row["id"], is_delivered=1)
            self._send(row)

    def _send(self, row: Row) -> None:
        body = row["payload_content"].encode("utf-8")
        headers = headers_of(row["event_type"], row["uuid"], row["secret"], body)
        request = {"url": row["url"], "http_method": "POST", "headers": headers}
        answer: dict[str, Any] = {"status": 0, "headers": {}, "body": ""}
        try:
            got = self._client.post(row["url"], content=body, headers=headers)
            answer = {"status": got.status_code, "headers": dict(got.headers), "body": got.text[:2_000]}
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as failed:
            answer["body"] = f"Delivery: {failed}"
        self.forge.store.set(
            "hook_task",
            row["id"],
            is_succeed=int(200 <= answer["status"] < 300),
            delivered=time.time_ns(),
            request_content=json.dumps(request),
            response_content=json.dumps(answer),
        )


def headers_of(event_type: str, delivery: str, secret: str, body: bytes) -> dict[str, str]:
    """The headers of a webhook; without a secret the signatures are there and empty."""
    event = _HEADER_OF.get(event_type, event_type)
    sha256 = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() if secret else ""
    sha1 = hmac.new(secret.encode(), body, hashlib.sha1).hexdigest() if secret else ""
    return {
        "Content-Type": "application/json",
        "X-Gitea-Delivery": delivery,
        "X-Gitea-Event": event,
        "X-Gitea-Event-Type": event_type,
        "X-Gitea-Hook-Installation-Target-Type": "repository",
        "X-Gitea-Signature": sha256,
        "X-Gogs-Delivery": delivery,
        "X-Gogs-Event": event,
        "X-Gogs-Event-Type": event_type,
        "X-Gogs-Signature": sha256,
        "X-GitHub-Delivery": delivery,
        "X-GitHub-Event": event,
        "X-GitHub-Event-Type": event_type,
        "X-Hub-Signature": f"sha1={sha1}",
        "X-Hub-Signature-256": f"sha256={sha256}",
    }

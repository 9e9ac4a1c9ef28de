"""The outbox: rows in Gitea's columns and shapes, sent once, signed; what Gitea never tells is not told."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.docker.standins.official import CONTRACTS, gitea_problems
from tests.docker.standins.team import ForgeTeam, said

COLUMNS = [
    "id",
    "hook_id",
    "uuid",
    "payload_content",
    "payload_version",
    "event_type",
    "is_delivered",
    "delivered",
    "is_succeed",
    "request_content",
    "response_content",
]


class Receiver:
    """A webhook receiver that keeps what it is sent; `answers` gives its status, `wait_s` how slow it is."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status, self.wait_s = 204, 0.0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                time.sleep(receiver.wait_s)
                try:
                    self.send_response(receiver.status)
                    self.end_headers()
                except OSError:
                    pass

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def receiver(forge: ForgeTeam) -> Iterator[Receiver]:
    found = Receiver()
    forge.hook(found.url)
    yield found
    found.server.shutdown()
    found.server.server_close()


def rows(forge: ForgeTeam, after: int = 0) -> list[dict[str, Any]]:
    """The outbox, read as the poller reads it: from outside, read only, while the forge writes."""
    db = sqlite3.connect(f"file:{forge.service.data_dir / 'forge.db'}?mode=ro", uri=True)
    try:
        found = db.execute("SELECT * FROM hook_task WHERE id > ? ORDER BY id", (after,))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]
    finally:
        db.close()


def last(forge: ForgeTeam) -> int:
    return max([row["id"] for row in rows(forge)], default=0)


def types(forge: ForgeTeam, after: int) -> list[str]:
    return [row["event_type"] for row in rows(forge, after)]


def until(wish: Any) -> None:
    deadline = time.monotonic() + 15
    while not wish():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def test_columns_are_giteas(forge: ForgeTeam, receiver: Receiver) -> None:
    forge.commit("w0001", "w0001/columns", {"columns.txt": "x\n"}, "Columns")
    row = rows(forge)[0]
    assert list(row) == COLUMNS
    assert row["payload_version"] == 2
    assert abs(row["delivered"] / 1e9 - time.time()) < 600


def test_every_event_is_told_with_the_keys_seen_in_the_wild(forge: ForgeTeam, receiver: Receiver) -> None:
    after = last(forge)
    one, two = forge.api["w0001"], forge.api["w0002"]
    forge.commit("w0001", "w0001/keys", {"keys.txt": "x\n"}, "Keys")
    number = forge.pull("w0001", "w0001/keys")
    said(one.post(f"{forge.repo}/pulls/{number}/requested_reviewers", json={"reviewers": ["w0002"]}))
    forge.review("w0002", number)
    forge.review("w0002", number, "REQUEST_CHANGES", "1e5 fails")
    forge.review("w0003", number, "COMMENT", "I see")
    forge.commit("w0001", "w0001/keys", {"keys.txt": "y\n"}, "Fix")
    comment = said(two.post(f"{forge.repo}/issues/{number}/comments", json={"body": "thanks"}))["id"]
    said(two.patch(f"{forge.repo}/issues/comments/{comment}", json={"body": "thanks!"}))
    said(one.patch(f"{forge.repo}/pulls/{number}", json={"title": "Better keys"}))
    forge.merge("w0002", number, delete_branch_after_merge=True)
    found = rows(forge, after)
    assert [row["event_type"] for row in found] == [
        "create",
        "push",
        "pull_request",
        "pull_request_review_request",
        "pull_request_review_approved",
        "pull_request_review_rejected",
        "pull_request_review_comment",
        "push",
        "pull_request_sync",
        "pull_request_comment",
        "pull_request_comment",
        "pull_request",
        "pull_request",
        "push",
        "delete",
    ]
    wild = json.loads((CONTRACTS / "gitea_payload_keys.json").read_text("utf-8"))
    for row in found:
        body = json.loads(row["payload_content"])
        shape = wild.get(row["event_type"]) or wild["pull_request_review_approved"]
        optional = {"total_commits"} | (
            {"changes"} if body["action" if "action" in body else "ref"] == "edited" else set()
        )
        missing = set(shape["body"]) - set(body)
        assert not missing, (row["event_type"], missing)
        unknown = set(body) - set(shape["body"]) - optional - {"commit_id", "sha"}
        assert not unknown, (row["event_type"], unknown)
        if "pull_request" in body:
            assert set(wild["pull_request"]["pull_request"]) - set(body["pull_request"]) == set()
            assert not gitea_problems("PullRequest", body["pull_request"])
        assert not gitea_problems("Repository", body["repository"])
        assert not gitea_problems("User", body["sender"])
        assert set(wild["pull_request"]["repository"]) - set(body["repository"]) == set()
        assert set(wild["pull_request"]["sender"]) - set(body["sender"]) == set()


def test_a_new_branch_has_forty_zeros_and_a_merge_says_who(forge: ForgeTeam, receiver: Receiver) -> None:
    after = last(forge)
    forge.commit("w0003", "w0003/zeros", {"zeros.txt": "x\n"}, "Zeros")
    forge.merge("w0002", forge.pull("w0003", "w0003/zeros"))
    bodies = [(row["event_type"], json.loads(row["payload_content"])) for row in rows(forge, after)]
    first = next(body for kind, body in bodies if kind == "push")
    assert first["before"] == "0" * 40
    merged = next(body for _, body in bodies if body.get("action") == "closed")
    assert merged["pull_request"]["merged"] is True
    assert merged["pull_request"]["merged_by"]["login"] == merged["sender"]["login"] == "w0002"
    assert len(merged["pull_request"]["merge_commit_sha"]) == 40


def test_pushes_there_and_back_are_three(forge: ForgeTeam, receiver: Receiver) -> None:
    a = forge.commit("w0001", "w0001/back", {"back.txt": "a\n"}, "A")
    after = last(forge)
    b = forge.commit("w0001", "w0001/back", {"back.txt": "b\n"}, "B")
    for sha in (a, b):
        forge.git("w0001", "push", "--quiet", "--force", "origin", f"{sha}:refs/heads/w0001/back")
    moves = [json.loads(row["payload_content"]) for row in rows(forge, after)]
    assert [(each["before"], each["after"]) for each in moves] == [(a, b), (b, a), (a, b)]


def test_what_gitea_never_tells_is_not_told(forge: ForgeTeam, receiver: Receiver) -> None:
    forge.commit("w0001", "w0001/quiet", {"quiet.txt": "x\n"}, "Quiet")
    forge.commit("w0003", "w0003/loud", {"quiet.txt": "y\n"}, "Loud")
    number, other = forge.pull("w0001", "w0001/quiet"), forge.pull("w0003", "w0003/loud")
    review = forge.review("w0002", number)["id"]
    path = f"{forge.repo}/pulls/{number}/reviews/{review}"
    after = last(forge)
    said(forge.api["w0002"].post(f"{path}/dismissals", json={"message": "no"}))
    said(forge.api["w0002"].post(f"{path}/undismissals"))
    said(forge.api["w0002"].delete(path))
    assert types(forge, after) == []
    forge.merge("w0002", other)
    assert forge.see(number)["mergeable"] is False
    assert types(forge, after) == ["pull_request", "push"]


def test_webhooks_are_signed_over_the_raw_body(forge: ForgeTeam, receiver: Receiver) -> None:
    until(lambda: len(receiver.got) >= len(rows(forge)))
    after = last(forge)
    forge.commit("w0002", "w0002/sign", {"sign.txt": "x\n"}, "Sign")
    until(lambda: len(receiver.got) >= len(rows(forge)))
    by_id = {row["uuid"]: row for row in rows(forge)}
    assert len({headers["X-Gitea-Delivery"] for headers, _ in receiver.got}) == len(receiver.got)
    for headers, body in receiver.got:
        row = by_id[headers["X-Gitea-Delivery"]]
        assert headers["X-Gitea-Event-Type"] == row["event_type"]
        assert body.decode() == row["payload_content"]
        assert headers["X-Gitea-Signature"] == hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    until(lambda: all(row["is_succeed"] for row in rows(forge, after)))


def test_a_failing_receiver_is_tried_once_and_slows_nobody(forge: ForgeTeam, receiver: Receiver) -> None:
    until(lambda: len(receiver.got) >= len(rows(forge)))
    after, seen = last(forge), len(receiver.got)
    receiver.status, receiver.wait_s = 500, 3.0
    started = time.monotonic()
    forge.commit("w0003", "w0003/fail", {"fail.txt": "x\n"}, "Fail")
    number = forge.pull("w0003", "w0003/fail")
    answered = time.monotonic() - started
    until(lambda: all(row["is_delivered"] for row in rows(forge, after)))
    receiver.wait_s = 0.0
    until(lambda: all(row["response_content"] for row in rows(forge, after)))
    receiver.status = 204
    assert number > 0
    assert [row["is_succeed"] for row in rows(forge, after)] == [0, 0, 0]
    assert len(receiver.got) - seen <= 3
    assert answered < 60


def test_hostile_names_travel_as_text(forge: ForgeTeam, receiver: Receiver) -> None:
    after = last(forge)
    title = "<script>alert(1)</script> \u202e\x1b[31m \"'` \U0001f600"
    forge.commit("w0001", "w0001/<img>", {"a <b> 'c' \"d\".txt": "x\n"}, title)
    number = forge.pull("w0001", "w0001/<img>", title, "\x00 nul")
    assert forge.see(number)["title"] == title
    pushed = json.loads(next(row for row in rows(forge, after) if row["event_type"] == "push")["payload_content"])
    assert pushed["commits"][0]["added"] == ["a <b> 'c' \"d\".txt"]
    assert Path(forge.folder / "w0001").exists()

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from trajectories.events import KINDS, Event, iso, millis
from trajectories.sources.base import RawDelivery, Skipped
from trajectories.sources.board import parse, pull

AT = millis("2026-11-29T09:00:00.000Z")


def entry(seq: int = 7, **fields: Any) -> dict[str, Any]:
    return {"seq": seq, "at": iso(AT), "op": "note", "worker": "w0001", **fields}


NOTE = {"note": 3, "type": "CLAIM", "text": "lexer", "detail": None, "delegation_id": "t-01"}


def parsed(body: Any) -> Any:
    return parse(RawDelivery("7", 7, AT, AT, body))


def event(body: Any) -> Event:
    (found,) = parsed(body)
    assert set(KINDS[found.kind].fields) <= set(found.fields) | {"query"}
    return found


def test_a_note_is_posted_by_the_name_of_the_token() -> None:
    found = event(entry(**NOTE))
    assert (found.kind, found.actor, found.worker, found.at, found.ref) == ("note.posted", "w0001", None, AT, "board:7")
    assert found.fields == NOTE


def test_refusals_reads_and_unfoldings_are_events_too() -> None:
    refused = event(entry(op="refused", type="CLAIM", text="x", reason="too long"))
    assert (refused.kind, refused.fields["reason"]) == ("note.refused", "too long")
    read = event(entry(op="read", via="grep", upto=3, added=0, query="lexer"))
    assert (read.kind, read.fields["upto"], read.fields["via"]) == ("notes.read", 3, "grep")
    assert event(entry(op="unfold", note=3)).kind == "note.unfolded"


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        entry(op="vote"),
        entry(worker=None, **NOTE),
        entry(**{**NOTE, "note": "3"}),
        entry(**{**NOTE, "note": True}),
        entry(op="read", via="read", upto=None, added=0),
        entry(op=["note"]),
    ],
)
def test_junk_is_skipped_with_a_reason(body: Any) -> None:
    assert isinstance(parsed(body), Skipped)


class Board(BaseHTTPRequestHandler):
    """Answers `/events` as the board does."""

    entries: list[dict[str, Any]] = []
    sent_at = ""

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "Bearer eye"
        after = int(self.path.split("after=")[1].split("&")[0])
        page = {"events": [e for e in self.entries if e["seq"] > after][:1000], "last": len(self.entries)}
        data = json.dumps(page | ({"sent_at": self.sent_at} if self.sent_at else {"sent_at": iso(now_ms())})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        pass


def now_ms() -> int:
    import time

    return time.time_ns() // 1_000_000


@pytest.fixture
def served() -> Iterator[tuple[type[Board], str]]:
    class Mine(Board):
        entries = [entry(n, **{**NOTE, "note": n}) for n in range(1, 2_051)]

    server = ThreadingHTTPServer(("127.0.0.1", 0), Mine)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield Mine, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_log_is_read_page_by_page_from_a_cursor(served: tuple[type[Board], str], tmp_path: Path) -> None:
    (tmp_path / "ingest").write_text("eye\n")
    endpoints = {"run": {"folder": str(tmp_path)}, "board": {"url": served[1], "token_file": "ingest"}}
    first = pull(endpoints, None)
    assert (len(first.deliveries), first.cursor, first.more, first.newest_at) == (1000, 1000, True, AT)
    assert first.deliveries[0] == RawDelivery("1", 1, AT, first.deliveries[0].received_at, served[0].entries[0])
    second = pull(endpoints, first.cursor)
    third = pull(endpoints, second.cursor)
    assert (len(third.deliveries), third.more, third.cursor) == (50, False, 2_050)
    assert pull(endpoints, third.cursor).newest_at is None


def test_a_board_whose_clock_is_an_hour_off_is_corrected(served: tuple[type[Board], str]) -> None:
    served[0].sent_at = iso(now_ms() - 3_600_000)
    first = pull({"board": {"url": served[1], "token": "eye"}}, 2_049).deliveries[0]
    assert abs(first.skew_ms - 3_600_000) < 2_000
    assert first.at == AT + first.skew_ms


def test_a_board_that_is_gone_is_read_from_its_database(tmp_path: Path) -> None:
    path = tmp_path / "board.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, entry TEXT)")
    db.execute("INSERT INTO log VALUES (1, ?)", (json.dumps(entry(1, **NOTE)),))
    db.commit()
    db.close()
    gone = {"url": "http://127.0.0.1:9", "token": "eye"}
    pulled = pull({"board": {**gone, "outbox": f"sqlite:///{path}"}}, 0)
    assert (len(pulled.deliveries), pulled.cursor) == (1, 1)
    with pytest.raises(httpx.TransportError):
        pull({"board": gone}, 0)
    with pytest.raises(OSError):
        pull({"board": {**gone, "outbox": f"sqlite:///{tmp_path}/none.db"}}, 0)


def test_a_run_without_a_board_has_nothing_to_read() -> None:
    assert pull({"forge": {}}, 5).deliveries == []

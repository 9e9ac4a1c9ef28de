from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import httpx

from board.log import open_log
from board.service import Service
from tests.docker.board.conftest import Clock

Clients = Callable[[str], httpx.AsyncClient]
CLAIM = {"type": "CLAIM", "text": "lexer strings", "delegation_id": "t-01"}


async def test_a_note_is_stored_under_the_name_of_the_token_whatever_the_body_says(board: Clients) -> None:
    posted = await board("one").post("/notes", json=CLAIM | {"worker": "w0002"})
    assert (posted.status_code, posted.json()) == (201, {"note": 1, "seq": 1})
    (note,) = (await board("two").get("/notes")).json()["notes"]
    assert note == CLAIM | {"note": 1, "worker": "w0001", "at": "2027-01-15T08:00:00.000Z", "detail": False}


async def test_a_refusal_says_why_and_is_in_the_log(board: Clients) -> None:
    refused = await board("one").post("/notes", json={"type": "CLAIM", "text": "x" * 131})
    assert refused.status_code == 422
    assert refused.json() == {"reason": "text is 131 characters, CLAIM allows 100"}
    (entry,) = (await board("eye").get("/events")).json()["events"]
    assert entry["op"] == "refused" and entry["worker"] == "w0001" and entry["reason"] == refused.json()["reason"]


async def test_the_log_tells_who_saw_what_and_when(board: Clients) -> None:
    one, two = board("one"), board("two")
    await one.post("/notes", json=CLAIM | {"detail": "long story"})
    await two.get("/notes")
    await two.get("/notes?after=1&via=turn")
    await two.get("/grep?q=lexer")
    unfolded = await two.get("/notes/1")
    assert unfolded.json()["detail"] == "long story"
    log = (await board("eye").get("/events?after=1")).json()
    assert [entry["op"] for entry in log["events"]] == ["read", "read", "read", "unfold"]
    assert [(e["via"], e["upto"], e["added"]) for e in log["events"][:3]] == [
        ("read", 1, 1),
        ("turn", 1, 0),
        ("grep", 1, 0),
    ]
    assert log["last"] == 5 and log["events"][2]["query"] == "lexer"


async def test_a_peek_is_no_read(board: Clients) -> None:
    await board("one").post("/notes", json=CLAIM)
    assert len((await board("two").get("/notes?via=peek")).json()["notes"]) == 1
    assert (await board("eye").get("/events")).json()["last"] == 1
    await board("two").post("/reads", json={"via": "turn", "upto": 99})
    entry = (await board("eye").get("/events?after=1")).json()["events"][0]
    assert (entry["via"], entry["upto"], entry["added"]) == ("turn", 1, 1)


async def test_a_claim_leaves_live_reads_after_its_life_and_grep_still_finds_it(board: Clients, clock: Clock) -> None:
    one = board("one")
    await one.post("/notes", json=CLAIM)
    clock.at += 3_600_000
    assert (await one.get("/notes")).json() == {"notes": [], "upto": 1}
    (hit,) = (await one.get("/grep?q=lexer")).json()["notes"]
    assert hit["live"] is False


async def test_who_may_call_what(board: Clients) -> None:
    assert (await board("nobody").get("/notes")).status_code == 401
    assert (await board("").get("/events")).status_code == 401
    assert (await board("one").get("/events")).status_code == 403
    assert (await board("eye").post("/notes", json=CLAIM)).status_code == 403
    assert (await board("nobody").get("/health")).json() == {"ok": True}


async def test_a_worker_enrolled_later_is_known_at_once(board: Clients, tokens_file: Path) -> None:
    tokens_file.write_text(json.dumps({"workers": {"w0001": "one", "w0003": "three"}, "ingest": "eye"}))
    assert (await board("three").get("/notes")).status_code == 200
    assert (await board("two").get("/notes")).status_code == 401


async def test_hostile_bodies_get_a_sentence(board: Clients) -> None:
    one = board("one")
    cases = [(b"{", 400), (b"[]", 400), (b"\xff\xfe", 400), (b'{"a":' * 100_000, 400), (b"x" * (1 << 20) + b"x", 413)]
    for content, status in cases:
        answer = await one.post("/notes", content=content)
        assert (answer.status_code, bool(answer.json()["reason"])) == (status, True)
    for text in ("nul \0 byte", "lone \ud800 surrogate", "\x1b[31mred", "‮bidi"):
        assert (await one.post("/notes", content=json.dumps({"type": "FACT", "text": text}))).status_code == 201
    notes = (await one.get("/notes")).json()["notes"]
    assert notes[0]["text"] == "nul \0 byte" and len(notes) == 4
    assert (await one.get("/notes?after=-1")).status_code == 422
    assert (await one.get("/notes/999999999999999999999")).status_code == 404
    assert (await one.get("/grep?q=(")).json() == {"reason": "a word is missing at the end"}


async def test_a_waiting_reader_is_woken_by_a_note(board: Clients) -> None:
    reader = asyncio.create_task(board("two").get("/notes?wait=20&via=peek"))
    await asyncio.sleep(0.05)
    await board("one").post("/notes", json=CLAIM)
    assert len((await asyncio.wait_for(reader, 5)).json()["notes"]) == 1


async def test_a_board_started_again_goes_on_where_it_was(tmp_path: Path, clock: Clock) -> None:
    service = Service(open_log(tmp_path / "again"), 3600, clock)
    service.write("w0001", CLAIM)
    service.read("w0002", 0, "read")
    await service.settled()
    service.end()
    clock.at -= 5_000  # the clock was set back meanwhile
    service = Service(open_log(tmp_path / "again"), 3600, clock)
    assert service.board.seen == {"w0002": 1}
    assert service.write("w0002", CLAIM) == {"note": 2, "seq": 3}
    entries = (await service.events(0, 10))["events"]
    assert [entry["seq"] for entry in entries] == [1, 2, 3]
    assert entries[2]["at"] == entries[1]["at"]
    service.end()

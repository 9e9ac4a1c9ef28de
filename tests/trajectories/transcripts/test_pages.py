"""A transcript is read a page at a time: by item, across deliveries, with the figures of every turn; the API passes the gate."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from runs.models import ApiToken, Run
from tests.trajectories.told import delivery, new_run, run_event
from trajectories import transcripts
from trajectories.events import iso
from trajectories.ingest.store import store
from trajectories.models import Blob, Stream
from trajectories.models.packing import pack

pytestmark = pytest.mark.django_db
T0 = 1_800_000_000_000
BATCH = 150
STEPS = 150  # a turn


class Tap:
    """A worker's life, item after item."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.turn = 0

    def put(self, direction: str, **msg: Any) -> int:
        n = len(self.items) + 1
        stamp = {"n": n, "at": iso(T0 + n * 100), "dir": direction, "session": 1, "turn": self.turn}
        self.items.append({**stamp, "msg": msg})
        return n

    def update(self, kind: str, /, **fields: Any) -> int:
        return self.put("from_agent", method="session/update", params={"update": {"sessionUpdate": kind, **fields}})

    def begin(self, trigger: str = "first") -> None:
        self.turn += 1
        self.put("loop", kind="turn.started", turn=self.turn, trigger=trigger)

    def step(self, call: str, status: str = "completed", output: str = "fine") -> None:
        self.update(
            "tool_call", toolCallId=call, title=f"run {call}", kind="execute", rawInput={"command": f"do {call}"}
        )
        self.update("tool_call_update", toolCallId=call, status=status, rawOutput=output)

    def finish(self, tokens: int) -> None:
        usage = {"inputTokens": tokens, "outputTokens": 10, "totalTokens": tokens + 10}
        self.put("from_agent", id=self.turn, result={"stopReason": "end_turn", "usage": usage})
        self.put("loop", kind="turn.finished", turn=self.turn, stop_reason="end_turn", error=None)

    def ship(self, run: Run, worker: int = 3, life: int = 1) -> None:
        for start in range(0, len(self.items), BATCH):
            items = self.items[start : start + BATCH]
            body = {"worker": worker, "life": life, "items": items}
            id = f"{worker}-{life}-{items[0]['n']}"
            store(
                run.pk, "acp", [delivery(id, body, seq=items[0]["n"], **{"X-Agensh-Harness": "mini/1.0"})], fixed=True
            )


@pytest.fixture
def run() -> Run:
    found = new_run("long")
    store(found.pk, "run", [run_event(1, "run.started", T0)])
    tap = Tap()
    tap.put("loop", kind="session.opened", life=1, harness="mini/1.0", resumed=False)
    for turn in range(3):
        tap.begin("first" if turn == 0 else "inbox")
        for k in range(STEPS):
            tap.step(f"c{turn}-{k}", "failed" if k == 77 else "completed", f"result {turn} {k} ✓ 解析")
        tap.finish(1000 * (turn + 1))
    tap.ship(found)
    Stream.objects.filter(run=found).update(t0=T0)
    return found


def every(run: Run, size: int) -> list[dict[str, Any]]:
    rows = []
    for turn in transcripts.outline(run.pk, 3)["turns"]:
        for first in range(turn["first"], turn["last"] + 1, size):
            rows += transcripts.page(run.pk, 3, turn["life"], first, min(turn["last"], first + size - 1))
    return rows


@pytest.mark.parametrize("size", [7, 120, 400])
def test_pages_of_any_size_give_every_entry_once_and_whole(run: Run, size: int) -> None:
    rows = every(run, size)
    assert [row["id"] for row in rows] == [row["id"] for row in every(run, 399)]
    steps = [row for row in rows if row["kind"] == "step"]
    assert len(steps) == 3 * STEPS
    assert all(row["took_ms"] == 100 for row in steps)


def test_a_page_reads_only_the_deliveries_that_hold_it(run: Run) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert transcripts.page(run.pk, 3, 1, 500, 560)
    bodies = [query for query in asked if '"body"' in query["sql"]]
    assert 1 <= len(bodies) <= 4  # of seven; one may be read again for the steps that end after the page


def test_the_outline_counts_each_turn_and_sums_up(run: Run) -> None:
    told = transcripts.outline(run.pk, 3)
    turns = [turn for turn in told["turns"] if turn["turn"]]
    assert [turn["steps"] for turn in turns] == [STEPS] * 3
    assert [turn["sum"]["input_tokens"] for turn in turns] == [1000, 3000, 6000]
    assert [turn["usage"]["input_tokens"] for turn in turns] == [1000, 2000, 3000]
    assert told["total"]["output_tokens"] == 30
    assert [turn["trigger"] for turn in turns] == ["first", "inbox", "inbox"]
    for turn in turns:
        (failed,) = turn["failed"]
        row = transcripts.entry(run.pk, 3, 1, failed)
        assert row is not None
        assert (row["status"], row["title"][-3:]) == ("failed", "-77")


def test_a_session_that_counts_on_is_told_by_how_much_it_grew() -> None:
    run = new_run("grows")
    tap = Tap()
    for total in (100, 250):
        tap.begin()
        tap.finish(total)
    body = {"worker": 1, "life": 1, "items": tap.items}
    store(run.pk, "acp", [delivery("1-1-1", body, **{"X-Agensh-Harness": "copilot/1.0.102"})], fixed=True)
    turns = [turn for turn in transcripts.outline(run.pk, 1)["turns"] if turn["turn"]]
    assert [turn["usage"]["input_tokens"] for turn in turns] == [100, 150]


def test_what_the_gateway_metered_counts_instead_once_it_did(run: Run) -> None:
    fields = {"n": 1, "worker": 3, "request": "r", "purpose": "work", "model": "m", "input_tokens": 7, "status": 200}
    fields |= {"output_tokens": 2, "cost_microusd": 5, "at": iso(T0 + 500)}
    store(run.pk, "gateway", [delivery("1", fields, at=T0 + 500)], fixed=True)
    told = transcripts.outline(run.pk, 3)
    assert told["metered"]
    assert (told["total"]["input_tokens"], told["total"]["cost_microusd"]) == (7, 5)
    assert [turn["usage"]["input_tokens"] for turn in told["turns"] if turn["turn"]] == [7, None, None]


def test_a_moment_leads_to_the_item_that_was_newest_then(run: Run) -> None:
    place = transcripts.place(run.pk, 3, 50.0)
    assert place is not None
    assert place[0] == 1
    assert 490 <= place[1] <= 500
    assert transcripts.place(run.pk, 3, -50.0) == (1, 1)
    assert transcripts.place(run.pk, 9, 5.0) is None


def found(run: Run, words: str) -> list[str]:
    after, hits = (0, 1), []
    while after:
        told = transcripts.find(run.pk, 3, words, after)
        hits += told["hits"]
        after = tuple(told["next"]) if told["next"] else None
    return [hit["id"] for hit in hits]


def test_words_are_found_in_arguments_and_outputs_in_any_language(run: Run) -> None:
    assert len(found(run, "DO c1-7")) == 11  # c1-7 and c1-70 to c1-79
    assert len(found(run, "result 2 149")) == 1
    assert len(found(run, "2 5 ✓ 解析")) == 1
    assert found(run, "nowhere") == []


def test_a_worker_nobody_heard_has_an_empty_outline(run: Run) -> None:
    assert transcripts.outline(run.pk, 77)["turns"] == []
    assert transcripts.page(run.pk, 77, 1, 1, 100) == []


def test_a_batch_larger_than_this_app_stores_is_read_too(run: Run) -> None:
    tap = Tap()
    tap.begin()
    for k in range(600):
        tap.step(f"x{k}")
    body = {"worker": 8, "life": 1, "items": tap.items}
    store(run.pk, "acp", [delivery("8-1-1", body)], fixed=True)
    (row,) = [row for row in transcripts.page(run.pk, 8, 1, 1000, 1001) if row["kind"] == "step"]
    assert row["took_ms"] == 100


@pytest.fixture
def get() -> Any:
    headers = {"Authorization": f"Bearer {ApiToken.mint('test', 'viewer')[0]}"}
    return lambda path: Client().get(f"/api/v1/runs/{path}", headers=headers)


def test_the_api_gives_outline_page_entry_place_and_hits(run: Run, get: Any) -> None:
    base = f"{run.slug}/workers/3/transcript"
    turn = get(base).json()["turns"][1]
    rows = get(f"{base}/entries?life=1&first={turn['first']}&last={turn['first'] + 20}").json()["entries"]
    assert rows[0]["kind"] == "turn_started"
    life, item = rows[1]["id"].split("-")
    assert get(f"{base}/entry?life={life}&item={item}").json()["title"] == "run c0-0"
    assert get(f"{base}/entry?life=1&item=2").status_code in (200, 404)
    assert get(f"{base}/place?t=1").json() == {"life": 1, "item": 10}
    assert get(f"{base}/find?q=c0-149").json()["hits"][0]["hit"] == "c0-149"
    assert get(f"{base}/entries?life=0&first=1&last=2").status_code == 422
    assert get(f"{base}/find?q=").status_code == 422
    assert get("nowhere/workers/3/transcript").status_code == 404


def test_a_long_string_is_read_in_stretches_that_join_to_the_whole(run: Run, get: Any) -> None:
    text = "解析 🙂 result\n" * 60_000
    raw = text.encode()
    Blob.objects.create(run=run, sha256="a" * 64, bytes=len(raw), body=pack(raw))
    read, after = [], 0
    while after is not None:
        told = get(f"{run.slug}/blobs/{'a' * 64}/piece?after={after}").json()
        read.append(told["text"])
        after = told["next"]
    assert "".join(read) == text
    assert len(read) == -(-len(raw) // (256 * 1024))
    assert json.dumps(read[0])


def test_strangers_are_led_to_sign_in(run: Run) -> None:
    assert Client().get(f"/runs/{run.slug}/workers/3/transcript").status_code == 302
    assert Client().get(f"/api/v1/runs/{run.slug}/workers/3/transcript").status_code == 401

"""Delivery pips and what a worker knew: from what the workers' taps say of their inboxes and from what they read on the board."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person
from tests.trajectories.told import delivery, new_run, run_event
from trajectories.derive import settle
from trajectories.events import iso
from trajectories.ingest.store import store
from trajectories.transcripts import reach
from trajectories.transcripts.delivered import Deliveries
from trajectories.transcripts.knowledge import _told, knowledge

pytestmark = pytest.mark.django_db
T0 = 1_800_000_000_000
MINUTE = 60_000


def post(run: Run, id: str, author: int, to: int | None, text: str, at: int) -> None:
    """A channel post, or a direct message to one worker."""
    name = f"w{author:04d}"
    row = {"id": id, "createat": at, "updateat": at, "editat": 0, "deleteat": 0, "userid": name, "channelid": "c"}
    row |= {"message": text, "type": "", "originalid": "", "rootid": "", "props": "{}"}
    kind, channel_name = ("D", f"{name}__w{to:04d}") if to else ("O", "team")
    members = [{"id": each, "username": each} for each in (name, f"w{to:04d}")] if to else []
    channel = {"id": "c", "type": kind, "name": channel_name, "display_name": "team", "members": members}
    body = {"table": "posts", "row": row, "channel": channel, "user": {"id": name, "username": name}}
    store(run.pk, "mattermost", [delivery(f"{id}@{at}", body, seq=at, at=at)], fixed=True)


def note(run: Run, n: int, author: int, at: int) -> None:
    body = {
        "seq": n,
        "at": iso(at),
        "op": "note",
        "worker": f"w{author:04d}",
        "note": n,
        "type": "FACT",
        "text": f"fact {n}",
    }
    store(
        run.pk, "board", [delivery(str(n), {**body, "detail": None, "delegation_id": None}, seq=n, at=at)], fixed=True
    )


def moves(run: Run, worker: int, *told: tuple[int, str, str, Any, Any]) -> None:
    """(at, feed, state, from, upto), one after the other."""
    items = [
        {
            "n": n,
            "at": iso(at),
            "dir": "loop",
            "session": 1,
            "turn": 1,
            "msg": {"kind": "inbox.moved", "feed": feed, "state": state, "from": a, "upto": b, "via": "turn"},
        }
        for n, (at, feed, state, a, b) in enumerate(told, 1)
    ]
    store(
        run.pk,
        "acp",
        [delivery(f"{worker}-1-1", {"worker": worker, "life": 1, "items": items}, at=told[0][0])],
        fixed=True,
    )


@pytest.fixture
def run() -> Run:
    found = new_run("inboxes")
    store(found.pk, "run", [run_event(1, "run.started", T0)])
    for worker in (1, 2, 3):
        name = f"w{worker:04d}"
        fields = {"worker": worker, "name": name, "node": "n", "mattermost_username": name}
        store(found.pk, "run", [run_event(10 + worker, "worker.enrolled", T0 + 1, **fields)])
    for n in (1, 2, 3):
        note(found, n, 1, T0 + n * MINUTE)
    post(found, "d1", 1, 2, "shall I?", T0 + 4 * MINUTE)
    post(found, "c1", 3, None, "main is green", T0 + 5 * MINUTE)
    moves(
        found,
        2,
        (T0 + 1 * MINUTE, "board", "stored", 1, 1),
        (T0 + 2 * MINUTE, "board", "stored", 2, 2),
        (T0 + 3 * MINUTE, "board", "shown", 1, 2),
        (T0 + 4 * MINUTE, "direct", "stored", "d1", "d1"),
        (T0 + 6 * MINUTE, "direct", "leased", "d1", "d1"),
        (T0 + 6 * MINUTE, "direct", "shown", "d1", "d1"),
        (T0 + 7 * MINUTE, "direct", "acknowledged", "d1", "d1"),
        (T0 + 8 * MINUTE, "direct", "stored", "d1", "d1"),
    )
    store(found.pk, "run", [run_event(20, "run.ticked", T0 + 9 * MINUTE)])
    settle(found.pk)
    reach.follow(found.pk)
    return found


def test_a_direct_message_shows_how_far_it_came_to_the_one_it_is_for(run: Run) -> None:
    found = Deliveries(run.pk, {1: 0, 2: 0, 3: 0}).message("d1")
    assert found is not None
    assert (found.of, found.counts, found.furthest, found.words()) == (1, (1, 1, 1, 1), 4, "acknowledged")


def test_a_note_counts_who_was_handed_it_and_who_read_the_board(run: Run) -> None:
    handed = Deliveries(run.pk, {1: 3, 2: 0, 3: 0})
    assert handed.note(2, 1).words() == "shown to 1 of 2"
    assert handed.note(3, 1).words() == "not handed over yet"
    read = Deliveries(run.pk, {1: 3, 2: 0, 3: 2})
    assert read.note(2, 1).words() == "shown to 2 of 2"


def test_a_channel_post_nobody_told_of_is_not_handed_over(run: Run) -> None:
    found = Deliveries(run.pk, {1: 0, 2: 0, 3: 0}).message("c1")
    assert found is not None
    assert (found.of, found.words()) == (2, "not handed over yet")


def test_following_twice_or_in_another_order_gives_the_same() -> None:
    told = [(at, {"feed": "board", "state": "shown", "upto": upto}) for at, upto in ((5, 3), (1, 9), (7, 2))]
    first: reach.Inboxes = {}
    second: reach.Inboxes = {}
    for at, fields in [*told, *told]:
        reach.take(first, 1, at, fields)
    for at, fields in reversed(told):
        reach.take(second, 1, at, fields)
    assert first == second == {"board": {"1": [None, None, [9, 1], None]}}


@pytest.mark.parametrize(
    "junk",
    [
        {},
        {"feed": None, "state": "shown", "upto": None},
        {"state": "lost", "upto": 3},
        {"state": "shown", "upto": True},
    ],
)
def test_junk_moves_nothing(junk: dict[str, Any]) -> None:
    inboxes: reach.Inboxes = {}
    reach.take(inboxes, 1, 5, junk)
    assert inboxes == {}


def items(told: dict[str, Any], feed: str, side: str) -> list[Any]:
    return [row["item"] for row in told["feeds"][feed][side]]


def test_what_it_knew_grows_with_what_it_was_shown(run: Run) -> None:
    early, later, late = (knowledge(run.pk, 2, minutes * 60.0) for minutes in (2.5, 3.5, 6.5))
    assert (items(early, "board", "lately"), items(early, "board", "not_yet")) == ([], [2, 1])
    assert (items(later, "board", "lately"), items(later, "board", "not_yet")) == ([2, 1], [3])
    assert items(later, "direct", "not_yet") == []
    assert items(late, "direct", "lately") == ["d1"]
    (row,) = late["feeds"]["direct"]["lately"]
    assert row["states"] == {"stored": 240.0, "leased": 360.0, "shown": 360.0}
    assert late["moments"] == [180.0, 360.0]


def test_a_message_delivered_again_after_a_crash_stays_known(run: Run) -> None:
    told = knowledge(run.pk, 2, 8.5 * 60)
    (row,) = told["feeds"]["direct"]["lately"]
    assert (row["state"], row["states"]["acknowledged"]) == ("stored", 420.0)


def test_its_own_words_are_known_and_others_direct_messages_are_not_there(run: Run) -> None:
    told = knowledge(run.pk, 1, None)
    assert items(told, "board", "lately") == [3, 2, 1]
    assert all(row["own"] for row in told["feeds"]["direct"]["lately"])
    assert knowledge(run.pk, 3, None)["feeds"]["direct"] == {"known": 0, "unknown": 0, "lately": [], "not_yet": []}


def test_the_page_the_api_and_the_joined_page_answer(run: Run, client: Client) -> None:
    assert client.get("/runs/inboxes/workers/2/knows").status_code == 302
    client.force_login(make_person("eve", "viewer"), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/runs/inboxes/workers/2/knows?t=180").status_code == 200
    assert client.get("/runs/inboxes/workers/77/knows").status_code == 404
    told = client.get("/api/v1/runs/inboxes/workers/2/knowledge?at=390").json()
    assert told["feeds"]["direct"]["known"] == 1
    counts = client.get("/api/v1/runs/inboxes/delivered?notes=2,99,x&messages=d1,nope").json()
    assert counts["notes"] == {"2": {"of": 2, "stored": 1, "leased": 1, "shown": 1, "acknowledged": 0, "furthest": 3}}
    assert set(counts["messages"]) == {"d1"}
    raw = client.get("/runs/inboxes/evidence/acp/2-1-3").content.decode()
    assert 'href="/runs/inboxes/workers/2/transcript?at=1-3"' in raw
    page = client.get("/runs/inboxes/workers/1").content.decode()
    assert "shown to 1 of 2" in page
    assert "acknowledged</span>" in page


def test_what_was_shown_at_once_stands_newest_first() -> None:
    rows = [{"t": t, "known": True, "states": {"shown": 127.0}} for t in (107.0, 123.0, 121.0)]
    told = _told([*rows, {"t": 130.0, "known": True, "states": {}}])
    assert [row["t"] for row in told["lately"]] == [130.0, 123.0, 121.0, 107.0]

"""What the browser opens a run with: tiles of a settled run, the lean State, who said a word, the newest of a kind."""

from __future__ import annotations

import gzip
import html
import json
import re
import struct
from typing import Any

import pytest
from django.test import Client

from runs.models import ApiToken, Run
from tests.trajectories.told import hear, new_run, told
from trajectories.derive import Deriver, settle, tiles
from trajectories.derive.statuses import DROPPED, Statuses
from trajectories.models import Stream, Tile
from trajectories.reducers import Change
from trajectories.replay import state

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    made = new_run("tiled")
    hear(made, told())
    return made


@pytest.fixture
def ask(run: Run) -> Any:
    plain, _ = ApiToken.mint("reader", "viewer")
    client = Client(headers={"Authorization": f"Bearer {plain}"})

    def asked(path: str, **headers: str) -> Any:
        return client.get(f"/api/v1/runs/{run.slug}/{path}", headers=headers)

    return asked


def head_of(data: bytes) -> dict[str, Any]:
    (length,) = struct.unpack_from("<I", data)
    found: dict[str, Any] = json.loads(data[4 : 4 + length])
    return found


def test_a_settled_run_has_its_tiles_and_a_second_settle_leaves_no_old_ones(run: Run) -> None:
    settle(run.pk)
    settle(run.pk)
    stream = Stream.of(run.pk)
    found = {tile.name: tile for tile in Tile.objects.filter(run=run)}
    assert set(found) == {"overview", "statuses", "lean"}
    assert {tile.generation for tile in found.values()} == {stream.generation}
    for tile in found.values():
        assert len(gzip.decompress(tile.body)) == tile.bytes
    workers = state(run.pk)["tables"]["workers"]
    assert set(head_of(gzip.decompress(found["statuses"].body))["keys"]["workers"]) == {int(key) for key in workers}


def test_the_replay_says_ahead_what_it_will_ask_for(run: Run, ask: Any) -> None:
    plain, _ = ApiToken.mint("page", "viewer")
    page = Client(headers={"Authorization": f"Bearer {plain}"})
    fetched = 'rel="preload" as="fetch"'
    still_moves = page.get(f"/runs/{run.slug}/replay").content.decode()
    assert fetched not in still_moves and 'id="manifest"' not in still_moves, "what still moves is asked for as it is"
    settle(run.pk)
    told = page.get(f"/runs/{run.slug}/replay").content.decode()
    addresses = [
        html.unescape(each)
        for each in re.findall(r'rel="preload" as="fetch" crossorigin="anonymous" href="([^"]+)"', told)
    ]
    assert [each.partition("timeline")[2].partition("&")[0] for each in addresses] == ["?tile=overview", "?tile=lean"]
    held = re.search(r'<script id="manifest" type="application/json">(.*?)</script>', told)
    assert held and json.loads(held[1]) == ask("timeline").json(), "the page holds the manifest"
    for address in addresses:
        answer = ask(address.partition(f"/runs/{run.slug}/")[2])
        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]


def test_a_row_that_is_dropped_is_told_once_for_all_its_fields() -> None:
    statuses = Statuses()
    statuses.take([Change(5, "a", "put", "pulls", 7, {"status": "open", "conflict": "unknown", "title": "x"})])
    statuses.take([Change(9, "b", "put", "pulls", 7, {"title": "y"}), Change(9, "c", "drop", "pulls", 7, {})])
    assert [(row[0], row[5] == DROPPED) for row in statuses.rows] == [(0, False), (0, False), (4, True)]


def test_the_lean_state_of_a_live_run_is_the_state_without_long_lists(run: Run, ask: Any) -> None:
    Deriver(run.pk).wake()
    answer = ask("state?lean=true")
    assert answer.status_code == 200
    lean, whole = json.loads(gzip.decompress(answer.content)), state(run.pk)
    assert (lean["c"], lean["n"], lean["generation"], lean["settled"]) == (whole["c"], whole["n"], 1, False)
    for name, rows in whole["tables"].items():
        assert lean["counts"][name] == len(rows)
    claims = lean["tables"]["claims"]
    rows = [dict(zip(claims["columns"], row, strict=True)) for row in claims["rows"]]
    assert len(rows) == len(whole["tables"]["claims"])
    assert all(
        len(row["evidence"]) <= 1
        and row == {**whole["tables"]["claims"][str(row["claim"])], "evidence": row["evidence"]}
        for row in rows
    )
    assert ask("state?lean=true", **{"If-None-Match": answer["ETag"]}).status_code == 304


def test_tiles_are_listed_and_served_once_the_run_has_settled(run: Run, ask: Any) -> None:
    assert json.loads(ask("timeline").content)["tiles"] == []
    assert ask("timeline?tile=statuses").status_code == 404
    settle(run.pk)
    listed = {tile["name"]: tile for tile in json.loads(ask("timeline").content)["tiles"]}
    answer = ask("timeline?tile=statuses")
    assert answer["ETag"].strip('"') == listed["statuses"]["etag"]
    assert len(gzip.decompress(answer.content)) == listed["statuses"]["bytes"]
    assert json.loads(gzip.decompress(ask("state?lean=true").content))["settled"] is True


def test_a_word_finds_who_said_it_whatever_its_case(run: Run, ask: Any) -> None:
    rows = json.loads(ask("events?kind=message.posted&limit=500").content)["events"]
    said = next(row for row in rows if row["worker"])
    word = max(said["fields"]["text"].split(), key=len)
    found = json.loads(ask(f"speakers?q={word.upper()}+nobody-said-this").content)["words"]
    assert said["worker"] in found[word.casefold()]["workers"]
    assert found[word.casefold()]["said"] >= 1
    assert found["nobody-said-this"] == {"workers": [], "said": 0}
    assert json.loads(ask("speakers?q=message").content)["words"]["message"]["said"] <= len(rows) + 100, (
        "names of fields are no words"
    )


def test_the_newest_of_some_kinds_come_in_order_of_arrival(run: Run, ask: Any) -> None:
    every = json.loads(ask("events?kind=note.posted,message.posted&limit=5000").content)["events"]
    answer = json.loads(ask("events?kind=note.posted,message.posted&limit=3&newest=true").content)
    assert len(answer["events"]) == 3
    assert [row["n"] for row in answer["events"]] == sorted(row["n"] for row in answer["events"])
    assert {row["at"] for row in answer["events"]} == set(sorted(row["at"] for row in every)[-3:])
    assert answer["last"] == Stream.of(run.pk).n
    tiles.forget(run.pk)

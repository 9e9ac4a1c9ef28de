"""How the forge's outbox is read: every row once, whatever the order it became visible in."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from standins.forge.schema import SCHEMA
from trajectories.sources import gitea
from trajectories.sources.base import Pulled, RawDelivery
from trajectories.sources.gitea.pull import PAGE
from trajectories.sources.outbox import OutboxUnread, reading

NOW = 1_795_946_700_000


class Outbox:
    """A `hook_task` table and a reader with its cursor."""

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / "forge.db", isolation_level=None)
        self.db.executescript("PRAGMA journal_mode=WAL;" + SCHEMA)
        self.endpoints = {"forge": {"owner": "team", "repo": "calc", "outbox": f"sqlite:///{folder / 'forge.db'}"}}
        self.cursor: Any = None

    def add(self, id: int, body: Any = None, *, delivered: int | None = None, text: str | None = None) -> None:
        told = {"ref": f"b{id}", "ref_type": "branch", "sha": "a" * 40, "repository": {"full_name": "team/calc"}}
        content = json.dumps(told if body is None else body) if text is None else text
        at = (NOW + id) * 1_000_000 if delivered is None else delivered
        row = (id, 1, f"uuid-{id}", content, 2, "create", 1, at, 0, "", "")
        self.db.execute(f"INSERT INTO hook_task VALUES ({', '.join('?' * 11)})", row)

    def page(self) -> Pulled:
        got = gitea.pull(self.endpoints, self.cursor, now=NOW + 100_000)
        self.cursor = json.loads(json.dumps(got.cursor))
        return got

    def ids(self) -> list[int]:
        return [each.seq for each in self.page().deliveries]


@pytest.fixture
def outbox(tmp_path: Path) -> Iterator[Outbox]:
    made = Outbox(tmp_path)
    yield made
    made.db.close()


def test_rows_are_deliveries(outbox: Outbox) -> None:
    outbox.add(1)
    got = outbox.page()
    [delivery] = got.deliveries
    assert delivery == RawDelivery(
        "uuid-1",
        1,
        NOW + 1,
        NOW + 100_000,
        {"ref": "b1", "ref_type": "branch", "sha": "a" * 40, "repository": {"full_name": "team/calc"}},
        {"X-Gitea-Event-Type": "create", "X-Gitea-Delivery": "uuid-1"},
    )
    assert got.newest_at == NOW + 1
    assert outbox.page().newest_at == NOW + 1


def test_each_row_is_handed_out_once(outbox: Outbox) -> None:
    for id in (1, 2, 3):
        outbox.add(id)
    assert outbox.ids() == [1, 2, 3]
    assert outbox.ids() == []


def test_ids_that_become_visible_late_are_not_lost(outbox: Outbox) -> None:
    for id in (2, 5):
        outbox.add(id)
    assert outbox.ids() == [2, 5]
    assert outbox.cursor["holes"] == [1, 3, 4]
    outbox.add(3)
    outbox.add(6)
    outbox.add(1)
    assert outbox.ids() == [1, 3, 6]
    assert outbox.ids() == []
    outbox.add(2_000)
    assert outbox.ids() == [2_000]
    assert len(outbox.cursor["holes"]) == 999


def test_pages_are_read_to_the_end(outbox: Outbox) -> None:
    for id in range(1, 2 * PAGE + 6):
        outbox.add(id)
    seen: list[int] = []
    while True:
        got = outbox.page()
        seen += [each.seq for each in got.deliveries]
        if not got.more:
            break
    assert seen == list(range(1, 2 * PAGE + 6))


def test_an_unknown_time_is_the_time_of_reading(outbox: Outbox) -> None:
    outbox.add(1, delivered=0)
    outbox.add(2, delivered=(NOW + 999_999_999) * 1_000_000)
    assert [each.at for each in outbox.page().deliveries] == [NOW + 100_000, NOW + 100_000]


def test_other_repositories_are_passed_over_and_junk_is_kept(outbox: Outbox) -> None:
    outbox.add(1, {"repository": {"full_name": "team/other"}})
    outbox.add(2, text="{broken")
    outbox.add(3, text="[" * 100_000)
    outbox.add(4, text='{"number": ' + "9" * 5_000 + "}")
    outbox.add(5, text='{"ref": NaN, "repository": 7}')
    assert [each.seq for each in outbox.page().deliveries] == [2, 3, 4, 5]


def test_a_column_of_event_uuids_is_used_where_there_is_one(outbox: Outbox) -> None:
    outbox.db.execute("ALTER TABLE hook_task ADD COLUMN event_uuid TEXT")
    outbox.db.execute(
        "INSERT INTO hook_task (id, uuid, event_type, payload_content, event_uuid) VALUES (1, 'u', 'create', '{}', 'e')"
    )
    [delivery] = outbox.page().deliveries
    assert delivery.headers["X-Agensh-Event-Uuid"] == "e"


def test_heads_follow_the_hooks(outbox: Outbox) -> None:
    where = {"repository": {"full_name": "team/calc"}}
    outbox.add(1)
    outbox.add(2, {"ref": "b1", "ref_type": "branch", **where})
    outbox.page()
    assert outbox.cursor["sweep"]["heads"] == {
        "b1": "a" * 40,
    }


def test_an_absent_outbox_says_so(tmp_path: Path) -> None:
    with pytest.raises(OutboxUnread):
        gitea.pull({"forge": {"outbox": f"sqlite:///{tmp_path}/none.db"}}, None)


@pytest.mark.postgres
@pytest.mark.skipif(not os.environ.get("DATABASE_URL", "").startswith("postgres"), reason="needs PostgreSQL")
def test_the_same_reading_on_postgres() -> None:
    import psycopg

    dsn = os.environ["DATABASE_URL"]
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("DROP TABLE IF EXISTS hook_task")
        db.execute(
            "CREATE TABLE hook_task (id bigserial primary key, hook_id bigint, uuid text unique, payload_content text, "
            "payload_version int, event_type text, is_delivered bool, delivered bigint, is_succeed bool, "
            "request_content text, response_content text)"
        )
        try:
            for id in (1, 3):
                db.execute(
                    "INSERT INTO hook_task VALUES (%s, 1, %s, '{}', 2, 'create', true, %s, false, '', '')",
                    (id, f"uuid-{id}", (NOW + id) * 1_000_000),
                )
            endpoints = {"forge": {"owner": "team", "repo": "calc", "outbox": dsn}}
            got = gitea.pull(endpoints, None, now=NOW + 100_000)
            assert [each.id for each in got.deliveries] == ["uuid-1", "uuid-3"]
            assert [each.id for each in gitea.pull(endpoints, got.cursor, now=NOW + 100_000).deliveries] == []
            with pytest.raises(OutboxUnread, match="read-only"), reading(dsn) as box:
                box.rows("DELETE FROM hook_task WHERE id > ?", (0,))
        finally:
            db.execute("DROP TABLE hook_task")

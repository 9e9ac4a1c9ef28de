"""What is read from the chat's tables, and how they are read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standins.chat import posts
from standins.chat.chat import Chat
from tests.trajectories.sources.fixtures import expected, shown, situation, situations
from trajectories.events import KINDS
from trajectories.sources import mattermost
from trajectories.sources.base import Pulled, RawDelivery, Skipped
from trajectories.sources.mattermost.pull import PAGE
from trajectories.sources.mattermost.versions import versions
from trajectories.sources.outbox import OutboxUnread


@pytest.mark.parametrize("stem", situations("mattermost"))
def test_a_row_says_what_its_fixture_says(stem: str) -> None:
    delivery, told = situation("mattermost", stem)
    parsed = mattermost.parse(delivery)
    assert shown(parsed) == expected(told)
    for event in [] if isinstance(parsed, Skipped) else parsed:
        assert set(event.fields) - set(KINDS[event.kind].fields) <= {"actor_id"}


NAMES = st.sampled_from(
    [
        "table",
        "row",
        "channel",
        "user",
        "id",
        "type",
        "name",
        "members",
        "username",
        "message",
        "createat",
        "editat",
        "deleteat",
        "originalid",
        "props",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("posts") | st.just("reactions")


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=8) | st.lists(inner, max_size=3), max_leaves=20
    )
)
def test_parse_is_total(body: Any) -> None:
    assert isinstance(mattermost.parse(RawDelivery("x", 1, 1, 1, body)), (Skipped, list))


class Team:
    """A chat's database with two members of one channel, read through its outbox."""

    def __init__(self, folder: Path) -> None:
        self.chat = Chat(folder, "http://chat.invalid")
        self.one = self.chat.add_user("w0001", "", "a@x.invalid")
        self.two = self.chat.add_user("w0002", "", "b@x.invalid")
        self.channel = self.chat.add_channel("t1", "team", "Team", "O", "")
        for user in (self.one, self.two):
            self.chat.join(self.channel, user)
        self.endpoints = {"chat": {"outbox": f"sqlite:///{folder / 'chat.db'}"}}
        self.cursor: Any = None

    def pull(self) -> list[RawDelivery]:
        got = self.page()
        return got.deliveries

    def page(self) -> Pulled:
        got = mattermost.pull(self.endpoints, self.cursor)
        self.cursor = json.loads(json.dumps(got.cursor))
        return got

    def kinds(self) -> list[str]:
        found = []
        for delivery in self.pull():
            parsed = mattermost.parse(delivery)
            found += ["skipped"] if isinstance(parsed, Skipped) else [event.kind for event in parsed]
        return found


@pytest.fixture
def team(tmp_path: Path) -> Any:
    made = Team(tmp_path)
    yield made
    made.chat.store.close()


def test_each_change_is_handed_out_once(team: Team) -> None:
    post = posts.create(team.chat, team.channel, team.one, "hello")
    assert team.kinds() == ["message.posted"]
    assert team.kinds() == []
    posts.edit(team.chat, post, "hello all")
    assert team.kinds() == ["message.edited"]
    posts.react(team.chat, post, team.two, "+1")
    assert team.kinds() == ["reaction.added"]
    posts.create(team.chat, team.channel, team.two, "hi", root=post["id"])
    assert team.kinds() == ["message.posted"]
    posts.delete(team.chat, posts.find(team.chat, post["id"]), team.one)
    assert sorted(team.kinds()) == ["message.deleted", "message.deleted"]
    assert team.kinds() == []


def test_a_touched_row_keeps_its_id(team: Team) -> None:
    post = posts.create(team.chat, team.channel, team.one, "hello")
    [first] = team.pull()
    posts.react(team.chat, post, team.two, "+1")
    row = team.chat.store.one("SELECT * FROM posts WHERE id = ?", post["id"])
    assert row is not None
    assert [each.id for each in versions("posts", row)] == [first.id] == [f"{post['id']}@{post['createat']}"]
    assert first.at == first.seq == post["createat"]


def test_a_row_that_commits_late_is_not_lost(team: Team) -> None:
    posts.create(team.chat, team.channel, team.one, "second")
    assert len(team.pull()) == 1
    late = posts.create(team.chat, team.channel, team.two, "first, committed later")
    team.chat.store.set("posts", late["id"], createat=late["createat"] - 5_000, updateat=late["updateat"] - 5_000)
    assert [each.body["row"]["message"] for each in team.pull()] == ["first, committed later"]


def test_a_direct_message_names_its_members(team: Team) -> None:
    posts.create(team.chat, team.chat.direct_channel(team.one, team.two), team.one, "you were first")
    [delivery] = team.pull()
    [event] = mattermost.parse(delivery)  # type: ignore[misc]
    assert (event.actor, event.fields["to"], event.fields["kind"]) == (
        "mattermost:w0001",
        ["mattermost:w0002"],
        "direct",
    )


def test_ids_hold_nothing_a_delivery_may_not_have(team: Team) -> None:
    import re

    post = posts.create(team.chat, team.channel, team.one, "hello")
    for emoji in ("+1", "a/b c~%", "\U0001f600"):
        posts.react(team.chat, post, team.two, emoji)
    ids = [each.id for each in team.pull()]
    assert len(set(ids)) == len(ids) == 4
    assert all(re.fullmatch(r"[A-Za-z0-9._~@-]{1,160}", id) for id in ids)


def test_many_rows_of_one_moment_come_in_pages_and_all(team: Team) -> None:
    with team.chat.store.change() as db:
        at = 1_795_946_700_000
        db.executemany(
            "INSERT INTO posts (id, createat, updateat, userid, channelid, message) VALUES (?, ?, ?, ?, ?, 'x')",
            [(f"p{n:05d}", at, at, team.one["id"], team.channel["id"]) for n in range(3 * PAGE + 7)],
        )
    seen: list[str] = []
    while True:
        got = team.page()
        seen += [each.id for each in got.deliveries]
        if not got.more:
            break
    assert len(seen) == len(set(seen)) == 3 * PAGE + 7
    assert got.newest_at == at


def test_an_absent_outbox_says_so(tmp_path: Path) -> None:
    with pytest.raises(OutboxUnread, match="absent"):
        mattermost.pull({"chat": {"outbox": f"sqlite:///{tmp_path}/absent.db"}}, None)
    with pytest.raises(OutboxUnread):
        mattermost.pull({"chat": {"outbox": "mysql://x"}}, None)
    assert mattermost.pull({}, None).deliveries == []


def test_the_outbox_is_read_only(team: Team) -> None:
    from trajectories.sources.outbox import reading

    with pytest.raises(OutboxUnread, match="readonly"), reading(team.endpoints["chat"]["outbox"]) as box:
        box.rows("DELETE FROM posts")


@pytest.mark.postgres
@pytest.mark.skipif(not os.environ.get("DATABASE_URL", "").startswith("postgres"), reason="needs PostgreSQL")
def test_the_same_reading_on_postgres() -> None:
    import psycopg

    dsn = os.environ["DATABASE_URL"]
    tables = (
        "CREATE TABLE users (id varchar(26), username varchar(64))",
        "CREATE TABLE channels (id varchar(26), type text, name text, displayname text)",
        "CREATE TABLE channelmembers (channelid varchar(26), userid varchar(26))",
        "CREATE TABLE posts (id varchar(26), createat bigint, updateat bigint, deleteat bigint, editat bigint, "
        "userid varchar(26), channelid varchar(26), rootid varchar(26), originalid varchar(26), message text, type text, "
        "props jsonb, hasreactions boolean)",
        "CREATE TABLE reactions (userid varchar(26), postid varchar(26), emojiname varchar(64), createat bigint, "
        "updateat bigint, deleteat bigint, channelid varchar(26))",
        "INSERT INTO users VALUES ('u1', 'w0001'), ('u2', 'w0002')",
        "INSERT INTO channels VALUES ('c1', 'D', 'u1__u2', '')",
        "INSERT INTO channelmembers VALUES ('c1', 'u1'), ('c1', 'u2')",
        "INSERT INTO posts VALUES ('p1', 1000, 1000, 0, 0, 'u1', 'c1', '', '', '100% sure?', '', '{\"b\": [1]}', true)",
        "INSERT INTO reactions VALUES ('u2', 'p1', '+1', 1001, 1001, 0, 'c1')",
    )
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("DROP SCHEMA IF EXISTS chat_outbox CASCADE")
        db.execute("CREATE SCHEMA chat_outbox")
        try:
            db.execute("SET search_path = chat_outbox")
            for sql in tables:
                db.execute(sql.encode())
            sign = "&" if "?" in dsn else "?"
            endpoints = {"chat": {"outbox": f"{dsn}{sign}options=-csearch_path%3Dchat_outbox"}}
            got = mattermost.pull(endpoints, None)
            [post, reaction] = got.deliveries
            assert (post.id, reaction.id) == ("p1@1000", "p1~u2~~2B1@1001")
            assert (post.body["row"]["props"], post.body["row"]["hasreactions"]) == ('{"b":[1]}', True)
            [event] = mattermost.parse(post)  # type: ignore[misc]
            assert (event.fields["text"], event.fields["to"]) == ("100% sure?", ["mattermost:w0002"])
            assert mattermost.pull(endpoints, json.loads(json.dumps(got.cursor))).deliveries == []
        finally:
            db.execute("DROP SCHEMA chat_outbox CASCADE")

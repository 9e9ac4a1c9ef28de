"""A reader of the chat that comes late finds what happened while it was away, as one in time would have."""

from __future__ import annotations

import time
from typing import Any

from standins.chat import posts
from tests.trajectories.sources.test_mattermost import Team, team
from trajectories.sources import mattermost
from trajectories.sources.base import RawDelivery

__all__ = ["team"]


def test_a_late_reader_finds_what_happened_while_it_was_away(team: Team) -> None:
    """A post edited twice and deleted leaves four versions; read late or in time, they have the same ids, times and texts."""
    in_time, late = [], Team.__new__(Team)
    late.chat, late.endpoints, late.cursor = team.chat, team.endpoints, None
    post = posts.create(team.chat, team.channel, team.one, "one")
    in_time += team.pull()
    for text in ("two", "three"):
        time.sleep(0.002)
        posts.edit(team.chat, posts.find(team.chat, post["id"]), text)
        in_time += team.pull()
    time.sleep(0.002)
    posts.delete(team.chat, posts.find(team.chat, post["id"]), team.two)
    in_time += team.pull()
    assert [told(each) for each in in_time] == [
        ("message.posted", "mattermost:w0001", "one"),
        ("message.edited", "mattermost:w0001", "two"),
        ("message.edited", "mattermost:w0001", "three"),
        ("message.deleted", "mattermost:w0002", None),
    ], "who deletes is not always who wrote"
    found = late.pull()
    assert [(each.id, each.at, told(each)) for each in found] == [(each.id, each.at, told(each)) for each in in_time]
    assert [bool(each.body.get("recovered")) for each in found] == [True, True, True, False]


def test_a_reaction_given_and_taken_back_while_nobody_read_is_both(team: Team) -> None:
    post = posts.create(team.chat, team.channel, team.one, "hello")
    posts.react(team.chat, post, team.two, "+1")
    time.sleep(0.002)
    posts.unreact(team.chat, post, team.two, "+1")
    assert team.kinds() == ["message.posted", "reaction.added", "reaction.removed"]
    time.sleep(0.002)
    posts.react(team.chat, post, team.two, "+1")
    assert team.kinds() == ["reaction.added"]


def test_the_ledger_counts_what_a_late_reader_is_given(team: Team) -> None:
    """Said in SQL of its own, so that it can find a fault of the reading."""
    from trajectories.ledger import _read

    post = posts.create(team.chat, team.channel, team.one, "one")
    for emoji in ("+1", "eyes"):
        posts.react(team.chat, post, team.two, emoji)
    time.sleep(0.002)
    posts.unreact(team.chat, post, team.two, "+1")
    reply = posts.create(team.chat, team.channel, team.two, "reply", root=post["id"])
    posts.edit(team.chat, posts.find(team.chat, reply["id"]), "reply, better")
    time.sleep(0.002)
    posts.delete(team.chat, posts.find(team.chat, post["id"]), team.one)
    ids = [each.id for each in team.pull()]
    assert len(ids) == 8
    assert sorted(ids) == _read(team.endpoints["chat"]["outbox"], "mattermost")


def told(delivery: RawDelivery) -> tuple[str, str | None, Any]:
    [event] = mattermost.parse(delivery)  # type: ignore[misc]
    return event.kind, event.actor, event.fields.get("text")

"""The page of a raw delivery says when a row was pieced together, and what its source cannot tell."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.trajectories.told import delivery, new_run
from trajectories.ingest.store import store
from trajectories.sources import SOURCES, limits, mattermost

pytestmark = pytest.mark.django_db
ROW = {"id": "p1", "createat": 1_800_000_000_000, "updateat": 1_800_000_000_000, "editat": 0, "deleteat": 0}
ROW |= {"originalid": "", "userid": "u1", "channelid": "c1", "message": "one", "type": "", "rootid": ""}


@pytest.fixture
def page(eve: Client) -> str:
    run = new_run("late")
    body = {"table": "posts", "row": ROW, "channel": {"id": "c1"}, "user": {"id": "u1"}, "recovered": "edit history"}
    store(run.pk, "mattermost", [delivery("p1@1800000000000", body)])
    return eve.get("/runs/late/evidence/mattermost/p1@1800000000000").content.decode()


def test_it_says_what_a_row_was_pieced_together_from(page: str) -> None:
    assert "pieced together from edit history" in page
    assert "Nothing here was changed" not in page


def test_it_says_what_the_chat_does_not_tell(page: str) -> None:
    assert all(sentence in page.replace("&#x27;", "'") for sentence in mattermost.LIMITS)


def test_limits_of_every_source_are_sentences() -> None:
    assert all(sentence.endswith(".") for name in SOURCES for sentence in limits(name))
    assert limits("nothing") == ()

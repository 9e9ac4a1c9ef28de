"""Where the forge's own tables can be read: conflicts at once and for sure, reviews missed at once, and fewer calls."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import httpx
import pytest

from tests.trajectories.sources.fake_forge import FakeForge
from trajectories.events import iso
from trajectories.sources import gitea
from trajectories.sources.base import RawDelivery
from trajectories.sources.gitea import client
from trajectories.sources.gitea.outbox import CHECKING, CONFLICT, MERGEABLE, Verdict


class Tables:
    """What the forge's tables say, as a test sets it."""

    def __init__(self) -> None:
        self.rows: dict[str, Verdict] = {}

    def say(self, number: int, status: int, reviews: str | None = None) -> None:
        self.rows[str(number)] = Verdict(status, reviews)


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Tables:
    made = Tables()
    monkeypatch.setattr(import_module("trajectories.sources.gitea.pull"), "tested", lambda dsn, forge: dict(made.rows))
    return made


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeForge]:
    fake = FakeForge()
    with httpx.Client(transport=httpx.MockTransport(fake.answer)) as http:
        monkeypatch.setattr(client, "_client", lambda base: http)
        yield fake


def conflicts(deliveries: list[RawDelivery]) -> list[str]:
    parsed: list[Any] = [gitea.parse(each) for each in deliveries]
    return [event.fields["conflict"] for events in parsed for event in events if event.kind == "pull.observed"]


def test_a_conflict_is_true_at_the_first_look(forge: FakeForge, tables: Tables) -> None:
    forge.open(1, mergeable=False)
    tables.say(1, CONFLICT)
    assert conflicts(forge.settle()) == ["true"]
    tables.say(1, MERGEABLE)
    assert conflicts(forge.settle()) == ["false"]


def test_a_pull_still_being_tested_keeps_what_was_found_before(forge: FakeForge, tables: Tables) -> None:
    forge.open(1)
    tables.say(1, MERGEABLE)
    assert conflicts(forge.settle()) == ["false"]
    # As after every merge: REST calls each open pull not mergeable until its test is done.
    tables.say(1, CHECKING)
    forge.touch(1, mergeable=False)
    assert conflicts(forge.settle()) == []
    tables.say(1, CONFLICT)
    assert conflicts(forge.settle()) == ["true"]


def test_a_moved_base_costs_no_call(forge: FakeForge, tables: Tables) -> None:
    for number in range(1, 6):
        forge.open(number)
        tables.say(number, MERGEABLE)
    forge.settle()
    for number in range(1, 6):
        forge.pulls[number]["base"] = {"ref": "main", "sha": "moved"}
    called: set[str] = set()
    for _ in range(12):
        forge.sweep()
        called |= set(forge.calls)
    assert called <= {"/git/refs", "/issues", "/pulls"}


def test_a_deleted_review_is_missed_at_the_next_sweep(forge: FakeForge, tables: Tables) -> None:
    forge.open(1)
    forge.approve(1, 11)
    tables.say(1, MERGEABLE, "one review")
    forge.settle()
    forge.reviews[1].clear()
    tables.say(1, MERGEABLE, None)
    [delivery] = forge.settle()
    [event] = gitea.parse(delivery)  # type: ignore[misc]
    assert event.fields["reviews"] == []


def test_a_next_verdict_is_no_dismissal_of_the_one_before(forge: FakeForge) -> None:
    forge.open(1)
    first = forge.approve(1, 11)
    forge.approve(1, 12)
    first["dismissed"] = True  # so Gitea shows it, with no line in the timeline
    forge.touch(1)
    [event] = gitea.parse(forge.settle()[-1])  # type: ignore[misc]
    assert [(each["id"], each["dismissed"]) for each in event.fields["reviews"]] == [(11, False), (12, False)]
    forge.lines[1] = [{"id": 5, "type": "dismiss_review", "review_id": 11, "user": {"id": 3, "login": "w0003"},
                       "body": "1e5 fails", "created_at": iso(forge.now)}]  # fmt: skip
    first["body"] = "fine, I thought"
    forge.touch(1)
    [event] = gitea.parse(forge.settle()[-1])  # type: ignore[misc]
    assert [each["dismissed"] for each in event.fields["reviews"]] == [True, False]

"""Sweeps: they find what no webhook tells, look twice before they call a conflict, and spare the forge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.trajectories.sources.fake_forge import T0, FakeForge
from trajectories.events import iso
from trajectories.sources import gitea
from trajectories.sources.base import RawDelivery
from trajectories.sources.gitea import client
from trajectories.sources.gitea.client import BURST, RATE


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeForge]:
    fake = FakeForge()
    with httpx.Client(transport=httpx.MockTransport(fake.answer)) as http:
        monkeypatch.setattr(client, "_client", lambda base: http)
        yield fake


def seen(deliveries: list[RawDelivery]) -> list[tuple[str, str, list[Any]]]:
    """Id, conflict and reviews of what was observed."""
    found = []
    for delivery in deliveries:
        for event in gitea.parse(delivery):  # type: ignore[union-attr]
            if event.kind == "pull.observed":
                reviews = [(each["id"], each["dismissed"], each["stale"]) for each in event.fields["reviews"]]
                found.append((delivery.id, event.fields["conflict"], reviews))
    return found


def test_a_pull_is_told_once_until_it_changes(forge: FakeForge) -> None:
    forge.open(1)
    assert [each[0] for each in seen(forge.settle())] == ["pull-1-1"]
    assert forge.settle() == []
    forge.touch(1, title="Another")
    [delivery] = forge.settle()
    assert (delivery.id, delivery.headers) == ("pull-1-2", {"X-Agensh-Sweep": "pull"})
    assert set(delivery.body) == {"pull", "reviews", "timeline", "conflict"}


def test_nothing_is_read_of_pulls_that_did_not_change(forge: FakeForge) -> None:
    for number in range(1, 6):
        forge.open(number)
    forge.settle()
    forge.sweep(2)
    assert sorted(forge.calls) == ["/git/refs", "/issues", "/pulls"]


def test_a_dismissal_is_seen_with_its_author(forge: FakeForge) -> None:
    forge.open(1)
    review = forge.approve(1, 11)
    forge.settle()
    review["dismissed"] = True
    forge.lines[1] = [{"id": 5, "type": "dismiss_review", "review_id": 11, "user": {"id": 3, "login": "w0003"},
                       "body": "1e5 fails", "created_at": iso(forge.now)}]  # fmt: skip
    forge.touch(1)
    [delivery] = forge.settle()
    [event] = gitea.parse(delivery)  # type: ignore[misc]
    [told] = event.fields["reviews"]
    assert (told["dismissed"], told["dismissed_by"]) == (True, "gitea:w0003")


def test_two_changes_within_one_second_are_both_seen(forge: FakeForge) -> None:
    forge.open(1)
    forge.settle()
    forge.approve(1, 11)
    assert [each[2] for each in seen(forge.sweep(1) + forge.sweep(0.2))] == [[(11, False, False)]]
    review = forge.reviews[1][0]
    review["stale"] = True  # `updated_at` still says the same second
    assert [each[2] for each in seen(forge.settle())] == [[(11, False, True)]]


def test_a_deleted_review_is_missed_even_if_nothing_was_touched(forge: FakeForge) -> None:
    forge.open(1)
    forge.approve(1, 11)
    forge.settle()
    forge.reviews[1].clear()
    found: list[RawDelivery] = []
    for _ in range(40):
        found += forge.sweep()
    assert [each[2] for each in seen(found)] == [[]]


def test_a_conflict_needs_two_looks_a_minute_apart(forge: FakeForge) -> None:
    forge.open(1)
    forge.settle()
    forge.touch(1, mergeable=False)
    first = forge.now
    while not (found := [each for each in seen(forge.sweep(2)) if each[1] == "true"]):
        assert forge.now - first < 90_000
    assert found[0][1] == "true"
    assert forge.now - first >= 60_000
    forge.touch(1, mergeable=True, head={"ref": "b1", "sha": "h1x"})
    assert [each[1] for each in seen(forge.settle())] == ["false"]


def test_the_first_look_alone_says_unknown(forge: FakeForge) -> None:
    forge.open(1, mergeable=False)
    assert [each[1] for each in seen(forge.settle())] == ["unknown"]


def test_another_head_or_base_begins_the_minute_again(forge: FakeForge) -> None:
    forge.open(1, mergeable=False)
    forge.sweep(1)
    for n in range(1, 4):
        forge.sweep(40)
        forge.touch(1, base={"ref": "main", "sha": f"m{n}"})
    assert all(each[1] != "true" for each in seen(forge.sweep(40)))


def test_a_conflict_once_found_stays_while_the_base_moves(forge: FakeForge) -> None:
    forge.open(1, mergeable=False)
    for _ in range(40):
        forge.sweep(2)
    assert forge.cursor["sweep"]["pulls"]["1"]["conflict"] == "true"
    forge.touch(1, base={"ref": "main", "sha": "m9"})
    assert forge.settle() == []
    forge.touch(1, head={"ref": "b1", "sha": "h2"})
    assert [each[1] for each in seen(forge.settle())] == ["unknown"]


def test_work_in_progress_never_conflicts(forge: FakeForge) -> None:
    forge.open(1, mergeable=False, title="WIP: half", draft=True)
    for _ in range(45):
        assert all(each[1] == "unknown" for each in seen(forge.sweep(2)))


@pytest.mark.parametrize("conflict_s", [0, 5])
def test_the_run_may_ask_for_another_distance(forge: FakeForge, conflict_s: int) -> None:
    forge.open(1, mergeable=False)
    said = [each[1] for _ in range(10) for each in seen(forge.sweep(1, conflict_s=conflict_s))]
    assert said[-1] == "true"


def test_at_most_five_calls_a_second(forge: FakeForge) -> None:
    for number in range(1, 31):
        forge.open(number)
        forge.approve(number, 100 + number)
    made, told, steps = 0, 0, 0
    while told < 30:
        told += len(forge.sweep(0.25))
        made += len(forge.calls)
        steps += 1
        assert steps < 400
        assert made <= BURST + RATE * (forge.now - T0) / 1000 + 2
    assert made < 100


def test_the_last_sweep_reads_everything_at_once(forge: FakeForge, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(client.time, "sleep", slept.append)
    for number in range(1, 13):
        forge.open(number)
    assert len(forge.sweep(0.1, final=True)) == 12
    assert slept
    # Then the forge may go: nobody asks it any more.
    forge.broken = True
    assert forge.sweep(5, final=True) == []
    assert forge.cursor["sweep"]["error"] is None


def test_more_than_a_page_of_open_pulls_is_read(forge: FakeForge) -> None:
    for number in range(1, 121):
        forge.open(number)
    told: Counter[str] = Counter()
    for _ in range(200):
        told.update(each.id for each in forge.sweep(1))
    assert told == Counter({f"pull-{number}-1": 1 for number in range(1, 121)})


def test_a_merged_pull_is_seen_although_it_left_the_list(forge: FakeForge) -> None:
    forge.open(1)
    forge.settle()
    at = iso(forge.now)
    merged = {"state": "closed", "merged": True, "merged_at": at, "closed_at": at, "merge_commit_sha": "m1",
              "merged_by": {"id": 2, "login": "w0002"}}  # fmt: skip
    forge.touch(1, **merged)
    [delivery] = forge.settle()
    [event] = gitea.parse(delivery)  # type: ignore[misc]
    assert (event.fields["state"], event.fields["merged_by"], event.fields["sha"]) == ("merged", "gitea:w0002", "m1")


def test_branches_that_differ_from_the_hooks_are_told_after_a_look_some_seconds_later(forge: FakeForge) -> None:
    forge.refs = {"main": "m0"}
    assert [forge.sweep() for _ in range(5)] == [[]] * 5
    [delivery] = forge.sweep()
    assert (delivery.id, delivery.body) == ("refs-1", {"branches": {"main": "m0"}})
    assert forge.settle() == []
    # A push whose hook is on its way is no difference.
    forge.refs = {"main": "m1"}
    assert forge.sweep() == []
    forge.cursor["sweep"]["heads"] = {"main": "m1"}
    assert forge.settle() == []


def test_a_forge_that_fails_is_noted_and_asked_again(forge: FakeForge) -> None:
    forge.open(1)
    forge.broken = True
    assert forge.sweep() == []
    assert "502" in forge.cursor["sweep"]["error"]
    forge.broken = False
    assert [each.id for each in forge.settle()] == ["pull-1-1"]
    assert forge.cursor["sweep"]["error"] is None


def _junk() -> list[Callable[[FakeForge], None]]:
    def no_number(fake: FakeForge) -> None:
        fake.pulls[1].pop("number")

    def no_head(fake: FakeForge) -> None:
        fake.pulls[1]["head"] = None

    def odd_times(fake: FakeForge) -> None:
        fake.pulls[1]["updated_at"] = "yesterday"

    return [no_number, no_head, odd_times]


@pytest.mark.parametrize("spoil", _junk(), ids=lambda each: each.__name__)
def test_answers_of_another_shape_stop_nothing(forge: FakeForge, spoil: Callable[[FakeForge], None]) -> None:
    forge.open(1)
    spoil(forge)
    for _ in range(4):
        for delivery in forge.sweep():
            assert gitea.parse(delivery) is not None

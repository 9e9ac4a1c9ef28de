"""What is said of a stack's programs: each start and each exit once, however often the engine tells it."""

from __future__ import annotations

from typing import Any

import pytest

from runs.backends.compose.lives import REVIVED_S, Lives


@pytest.fixture
def said() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def lives(said: list[dict[str, Any]]) -> Lives:
    return Lives(lambda name, life, state, **more: said.append({"proc": name, "life": life, "state": state, **more}))


def ask(lives: Lives, life: int, start_at: int = 0) -> None:
    lives.accept({"proc": "w0001", "life": life, "program": {}, "start_at": start_at})


def test_a_start_told_by_an_event_and_by_a_look_is_said_once(lives: Lives, said: list[dict[str, Any]]) -> None:
    ask(lives, 1)
    lives.started("w0001", 1, "c1", 5)
    lives.started("w0001", 1, "c1", 9)
    assert [(line["state"], line["at"]) for line in said] == [("started", 5)]


def test_an_exit_has_the_signal_that_a_shell_would_name(lives: Lives, said: list[dict[str, Any]]) -> None:
    ask(lives, 1)
    lives.started("w0001", 1, "c1", 5)
    lives.exited("w0001", "c1", 137, 6)
    lives.exited("w0001", "c1", 137, 7)
    (exit_,) = said[1:]
    assert (exit_["code"], exit_["signal"], exit_["expected"], exit_["oom"]) == (None, 9, False, False)


def test_a_worker_that_the_kernel_ended_for_memory_says_so_and_one_that_lost_a_child_lives_on(
    lives: Lives, said: list[dict[str, Any]]
) -> None:
    ask(lives, 1)
    lives.started("w0001", 1, "c1", 5)
    lives.starved("c1", 10)
    lives.child_starved(20)
    assert len(said) == 1, "its exit may be told in a moment"
    lives.child_starved(10_000)
    lives.child_starved(20_000)
    assert [(line["state"], line["at"]) for line in said[1:]] == [("child_oom", 10)]
    lives.starved("c1", 30_000)
    lives.exited("w0001", "c1", 137, 30_001)
    lives.child_starved(40_000)
    assert said[-1]["oom"] is True and len(said) == 3


def test_a_service_that_stays_down_is_started_by_the_supervisor(lives: Lives) -> None:
    lives.started("board", 0, "b", 1_000)
    lives.exited("board", "b", 137, 2_000)
    assert lives.due(3) == []
    assert [known.name for known in lives.due(2 + REVIVED_S)] == ["board"]
    lives.started("board", 0, "b", 3_000)
    assert lives.due(100) == [], "the engine was faster"


def test_what_a_healthcheck_finds_is_said_when_it_changes(lives: Lives, said: list[dict[str, Any]]) -> None:
    lives.started("postgres", 0, "p", 1)
    for moment, well in ((2, True), (3, False), (4, False), (5, True)):
        lives.health("p", well, moment)
    assert [(line["state"], line["at"]) for line in said[1:]] == [("unhealthy", 3), ("healthy", 5)]


def test_a_service_that_the_engine_starts_again_lives_once_more(lives: Lives, said: list[dict[str, Any]]) -> None:
    for moment in (1, 3):
        lives.started("board", 0, "b", moment)
        lives.exited("board", "b", 1, moment + 1)
    assert [(line["life"], line["state"]) for line in said] == [
        (1, "started"),
        (1, "exited"),
        (2, "started"),
        (2, "exited"),
    ]
    assert not any(line.get("expected") for line in said)


def test_a_restart_that_no_event_told_is_found_by_its_time(lives: Lives, said: list[dict[str, Any]]) -> None:
    lives.recall({"proc": "chat", "life": 1, "state": "started", "container": "c", "at": 1_000}, service=True)
    lives.revived("chat", "c", 0, 1_100)
    assert said == [], "the start that was said"
    lives.revived("chat", "c", 60_000, 61_000)
    assert [(line["life"], line["state"], line["at"]) for line in said] == [
        (1, "exited", 60_000),
        (2, "started", 61_000),
    ]
    lives.revived("chat", "c", 60_000, 61_000)
    lives.exited("chat", "c", 137, 60_000)
    assert len(said) == 2, "the engine's own word of the same comes late"


def test_an_exit_of_an_earlier_container_is_no_exit_of_the_present_one(
    lives: Lives, said: list[dict[str, Any]]
) -> None:
    ask(lives, 1)
    lives.started("w0001", 1, "c1", 1)
    lives.exited("w0001", "c1", 3, 2)
    ask(lives, 2)
    lives.started("w0001", 2, "c2", 4)
    lives.exited("w0001", "c1", 3, 5)
    assert lives.known["w0001"].running
    assert len(said) == 3


def test_what_an_earlier_supervisor_said_is_not_said_again(lives: Lives, said: list[dict[str, Any]]) -> None:
    lives.recall({"proc": "w0001", "life": 2, "state": "started", "container": "c2", "at": 5}, service=False)
    ask(lives, 1)
    ask(lives, 2)
    lives.started("w0001", 2, "c2", 9)
    assert said == []
    assert lives.due(1e12) == []


def test_a_worker_of_the_ramp_is_due_when_its_time_has_come(lives: Lives) -> None:
    ask(lives, 1, start_at=5_000)
    assert lives.due(4.9) == []
    assert [known.name for known in lives.due(5.0)] == ["w0001"]


def test_whoever_was_told_to_stop_exits_as_expected_and_is_started_no_more(
    lives: Lives, said: list[dict[str, Any]]
) -> None:
    ask(lives, 1)
    lives.started("w0001", 1, "c1", 1)
    lives.known["w0001"].stopping = True
    assert lives.spent() == [], "it still runs"
    lives.exited("w0001", "c1", 143, 2)
    assert (said[-1]["expected"], said[-1]["signal"]) == (True, 15)
    assert lives.due(1e12) == []
    assert lives.spent() == ["c1"], "its container goes while the team is still being read"
    assert lives.spent() == []

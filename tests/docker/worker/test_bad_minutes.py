"""Two minutes in which the app is down, while five workers run and four of their models fail, each in its own way; then all is well again.

One spell for all: every worker has its own model, its own app's door and the same board, on which a peer writes all the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.docker.worker.conftest import serving, until
from tests.docker.worker.faulty import Subject, board_of, busy, writing

pytestmark = pytest.mark.faults
DOWN_S, SICK_S, SILENCE_S = 120.0, 60.0, 10
# What each worker's model does while it is sick: a status, or saying nothing (a pause of so many seconds).
FAULTS: dict[str, Any] = {"well": None, "429": 429, "401": 401, "500": 500, "hang": 600.0}


@pytest.fixture(scope="module")
def spell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Subject]:
    """The five workers afterwards."""
    return asyncio.run(bad_minutes(tmp_path_factory.mktemp("spell")))


def sick_until(end: Callable[[], float], fault: Any) -> Callable[[list[dict[str, Any]]], Any]:
    """A model that has the fault until then."""
    return lambda messages: fault if fault is not None and time.monotonic() < end() else busy(messages)


async def bad_minutes(folder: Path) -> dict[str, Subject]:
    subjects = {fault: Subject(folder, f"w{n:04d}") for n, fault in enumerate(FAULTS, 1)}
    team, recovers = list(subjects.values()), [float("inf")]
    ports = dict(zip(subjects, free_ports(len(subjects)), strict=True))
    with board_of(folder / "board", [one.name for one in team]) as board:
        async with contextlib.AsyncExitStack() as stack:
            for fault, one in subjects.items():
                model = await stack.enter_async_context(serving(one.model.app))
                if fault == "hang":  # the agents try again by themselves for longer than this, without a word
                    one.place.config["model_silence_s"] = SILENCE_S
                await one.place.start(model=model, ingest=f"http://127.0.0.1:{ports[fault]}", board=board, seconds=900)
            await until(lambda: all(one.listening() for one in team), 120)
            for fault, one in subjects.items():
                one.model.think = sick_until(lambda: recovers[0], FAULTS[fault])
            recovers[0] = time.monotonic() + SICK_S
            async with writing(board, *team, every=2.0):
                await asyncio.sleep(DOWN_S)
            for fault, one in subjects.items():
                await stack.enter_async_context(serving(one.app.app, ports[fault]))
            await until(lambda: all(one.acknowledged() for one in team), 240)
            for one in team:
                assert await one.end() == 0
    return subjects


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def errors(one: Subject) -> list[str]:
    return [turn["error"] for turn in one.loop("turn.finished") if turn["error"]]


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_is_lost_and_nothing_doubled(spell: dict[str, Subject], fault: str) -> None:
    one = spell[fault]
    found = one.ledger()
    assert (found.lost, found.doubled, found.wrong) == ([], [], [])
    assert len(one.notes) > DOWN_S / 4
    assert one.shipped() and one.app.doubled == 0


def test_a_worker_works_on_while_the_app_is_down(spell: dict[str, Subject]) -> None:
    one = spell["well"]
    assert errors(one) == [] and max(one.ledger().shown.values()) == 1
    times = [item["at"] for _, item in sorted(one.app.items.items()) if item["msg"].get("kind") == "turn.started"]
    assert len(times) > 10


@pytest.mark.parametrize(
    ("fault", "said"), [("429", "rate_limit"), ("401", "authentication_failed"), ("500", "server_error")]
)
def test_turns_of_a_failing_model_fail_and_are_tried_again_ever_more_slowly(
    spell: dict[str, Subject], fault: str, said: str
) -> None:
    one = spell[fault]
    assert errors(one) and all(error.startswith(said) for error in errors(one))
    assert len(errors(one)) < 9  # in a minute, with the agent's own tries within each
    assert one.loop("turn.finished")[-1]["error"] is None
    assert {opened["session"] for opened in one.loop("session.opened")} == {1}


def test_a_model_that_hangs_is_given_up_and_asked_again(spell: dict[str, Subject]) -> None:
    one = spell["hang"]
    assert errors(one) and set(errors(one)) == {f"the model said nothing for {SILENCE_S} s"}
    assert one.loop("turn.finished")[-1]["error"] is None

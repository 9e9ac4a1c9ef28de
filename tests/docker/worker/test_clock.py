"""The run's clock is this machine's, put right by the app's answers where it is far off."""

from __future__ import annotations

import time
from email.utils import formatdate

import httpx
import pytest

from worker.clock import Clock


def said(seconds: float) -> httpx.Response:
    return httpx.Response(204, headers={"date": formatdate(seconds, usegmt=True)})


@pytest.mark.parametrize(("off", "offset"), [(3_600, 3_600), (-3_600, -3_600), (2, 0), (-3, 0)])
def test_a_large_difference_is_put_right_a_small_one_is_the_network(off: int, offset: int) -> None:
    clock = Clock()
    clock.hear(said(time.time() + off), time.time())
    assert abs(clock.offset - offset) < 2 and abs(clock.now() - time.time() - offset) < 2


def test_a_clock_that_was_set_right_meanwhile_is_believed_again() -> None:
    clock = Clock()
    clock.hear(said(time.time() + 3_600), time.time())
    clock.hear(said(time.time() + 3_599), time.time())
    assert abs(clock.offset - 3_600) < 2  # a second more or less is no news
    clock.hear(said(time.time()), time.time())
    assert clock.offset == 0


def test_an_answer_that_took_long_or_has_no_time_says_nothing() -> None:
    clock = Clock()
    clock.hear(said(time.time() + 3_600), time.time() - 10)
    clock.hear(httpx.Response(204), time.time())
    clock.hear(httpx.Response(204, headers={"date": "soon"}), time.time())
    assert clock.offset == 0


async def test_the_first_that_answers_is_believed() -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "down":
            raise httpx.ConnectError("down")
        return said(time.time() + 7_200)

    clock = Clock()
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        await clock.ask(client, ["http://down/health/live", "http://board/health", "not an address"])
    assert abs(clock.offset - 7_200) < 2

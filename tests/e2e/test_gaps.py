"""A tab that was frozen and a browser that was offline while the team went on: afterwards the page has the server's State, nothing lost, nothing twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from trajectories.bench.entering import by_page
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

pytestmark = pytest.mark.e2e
WORKERS, RATE = 16, int(os.environ.get("AGENSH_FEED_RATE", "120"))
#: Seconds away. `AGENSH_FROZEN_S=600 AGENSH_OFFLINE_S=30` are the real thing (tests/e2e/README.md); what happens in them has begun after twelve.
FROZEN_S = float(os.environ.get("AGENSH_FROZEN_S", "12"))
OFFLINE_S = float(os.environ.get("AGENSH_OFFLINE_S", "12"))


@pytest.fixture(scope="module")
def fed() -> Iterator[dict[str, Any]]:
    with served(WORKERS) as app:
        yield app


def opened(browser: Browser, app: dict[str, Any], page: Page | None = None) -> Page:
    """The live page, signed in; the link works once."""
    if page is None:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        by_page(page, app["link"])
    page.goto(f"{app['url']}/runs/{app['slug']}/")
    expect(page.locator("#census")).to_contain_text(f"{WORKERS} workers", timeout=60_000)
    return page


def caught_up(page: Page, app: dict[str, Any]) -> None:
    """The page's State has the server's hash: every record was folded, once."""
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}
    address = f"{app['url']}/api/v1/runs/{app['slug']}/state"
    deadline, seen = time.monotonic() + 90, None
    while time.monotonic() < deadline:
        told = httpx.get(address, cookies=cookies, timeout=60).json()
        seen = page.evaluate("async () => ({ c: agensh.feed.fold.c, hash: await agensh.feed.fold.hash() })")
        if (seen["c"], seen["hash"]) == (told["c"], told["hash"]):
            return
        page.wait_for_timeout(500)
    assert seen == {"c": told["c"], "hash": told["hash"]}


def renderers(browser: Browser) -> list[int]:
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return [each["id"] for each in found if each["type"] == "renderer"]


@pytest.fixture(scope="module")
def page(fed: dict[str, Any], browser: Browser) -> Page:
    return opened(browser, fed)


@contextmanager
def stopped(page: Page, browser: Browser) -> Iterator[None]:
    """The processes of the pages get no processor time, as on a machine that sleeps."""
    pids = renderers(browser)
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def frozen(page: Page, browser: Browser) -> Iterator[None]:
    """The browser freezes the tab, as it does with one that nobody looks at."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    try:
        yield
    finally:
        session.send("Page.setWebLifecycleState", {"state": "active"})


def once_each(page: Page) -> None:
    """No pull and no note stands twice."""
    for rows in ("#pulls tr:not(.room)", "#board li"):
        told = page.evaluate("(rows) => [...document.querySelectorAll(rows)].map((row) => row.innerText)", rows)
        assert len(told) == len(set(told))


def test_a_browser_that_was_offline_has_no_gap_and_no_doubles(fed: dict[str, Any], page: Page) -> None:
    with Feed(fed, RATE) as feed:
        page.wait_for_timeout(2_000)
        before = page.evaluate("agensh.feed.fold.c")
        page.context.set_offline(True)
        page.wait_for_timeout(OFFLINE_S * 1000)
        page.context.set_offline(False)
        page.wait_for_timeout(3_000)
    assert feed.shipped > 0
    assert page.evaluate("agensh.feed.fold.c") > before
    caught_up(page, fed)
    once_each(page)
    expect(page.locator("#connection")).to_have_text("")


@pytest.mark.parametrize("away", [stopped, frozen])
def test_a_tab_that_stood_still_has_no_gap_and_no_doubles(
    fed: dict[str, Any], page: Page, browser: Browser, away: Callable[[Page, Browser], AbstractContextManager[None]]
) -> None:
    with Feed(fed, RATE) as feed:
        page.wait_for_timeout(1_000)
        before = page.evaluate("agensh.feed.fold.c")
        with away(page, browser):
            time.sleep(FROZEN_S)
        page.wait_for_timeout(3_000)
    assert feed.shipped > RATE
    caught_up(page, fed)
    assert page.evaluate("agensh.feed.fold.c") > before
    once_each(page)
    expect(page.locator("#connection")).to_have_text("")

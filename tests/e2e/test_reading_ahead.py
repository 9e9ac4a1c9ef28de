"""A long run is read by another thread from the page's head on, each piece once; what is painted first is what stays. Here the fixture run counts as long."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.e2e.browser import Watched
from tests.e2e.test_lanes import PIXELS, REPLAY

pytestmark = pytest.mark.e2e
MANY = "const MANY = 150_000"
READ = "() => performance.getEntriesByName('replay-painted').length > 0"


def _short(route: Route) -> None:
    """The same script, to which any run is long."""
    answer = route.fetch()
    text = answer.text()
    assert MANY in text
    route.fulfill(response=answer, body=text.replace(MANY, "const MANY = 1"))


def opened(watched: Watched, *, long: bool) -> tuple[Page, list[str]]:
    """The replay, painted; what was asked of its timeline."""
    page, asked = watched.page, list[str]()

    def heard(request: Request) -> None:
        if re.search(r"/api/.*/timeline", request.url):
            asked.append(request.url)

    page.context.on("request", heard)
    if long:
        page.route(re.compile(r"/static/js/(pages/reading_ahead|trajectory/timeline_source)\."), _short)
    page.goto(watched.url + REPLAY)
    page.wait_for_function(READ)
    return page, asked


def test_a_long_run_is_read_from_the_head_on_by_another_thread(watched: Watched) -> None:
    page, asked = opened(watched, long=True)
    assert len(page.workers) == 1
    names = [re.search(r"(segment|tile)=(\w+)", each) for each in asked]
    found = [each[0] for each in names if each]
    assert len(found) == len(set(found)) == len(asked), "each piece is asked for once, and the manifest is in the page"
    assert page.evaluate("performance.getEntriesByName('replay-overview').length") <= 1
    expect(page.locator("#state")).to_contain_text("Workers")
    assert "eading" not in page.locator("#state").inner_text(), "the State at the end is told with the first picture"


def test_what_is_painted_first_is_what_a_run_read_in_one_thread_shows(watched: Watched) -> None:
    plain, _ = opened(watched, long=False)
    assert not plain.workers
    expected = plain.evaluate(PIXELS)
    page, _ = opened(watched, long=True)
    assert page.workers
    assert page.evaluate(PIXELS) == expected
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    assert page.evaluate(PIXELS) == expected, "what comes later changes nothing on the glass"

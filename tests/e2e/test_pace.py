"""However much happens, the page is told and drawn a few times a second: figures and lanes at most four."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from trajectories.bench.entering import by_page
from trajectories.bench.feed import Feed
from trajectories.bench.served import served

pytestmark = pytest.mark.e2e
WORKERS, RATE, SECONDS, MOST = 64, 1_500, 8, 4
COUNT = """() => {
  const census = document.getElementById("census");
  window.told = { census: 0, pictures: null };
  new MutationObserver(() => (window.told.census += 1)).observe(census, { childList: true });
  document.getElementById("lanes").addEventListener("painted", (event) => {
    window.told.first ??= event.detail.pictures;
    window.told.pictures = event.detail.pictures - window.told.first;
  });
}"""


def test_census_and_lanes_change_at_most_four_times_a_second(browser: Browser) -> None:
    with served(WORKERS) as app:
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        by_page(page, app["link"])
        page.goto(f"{app['url']}/runs/{app['slug']}/")
        expect(page.locator("#census")).to_contain_text(f"{WORKERS} workers", timeout=60_000)
        with Feed(app, RATE) as feed:
            page.wait_for_timeout(2_000)
            page.evaluate(COUNT)
            page.wait_for_timeout(SECONDS * 1_000)
            told: dict[str, Any] = page.evaluate("window.told")
        page.context.close()
    assert feed.shipped > WORKERS
    assert 0 < told["census"] <= MOST * SECONDS + 1
    assert 0 < told["pictures"] <= MOST * SECONDS + 1

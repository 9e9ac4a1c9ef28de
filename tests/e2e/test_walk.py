"""The main job in a real browser: sign in, launch the demo from the form, watch it live, scrub its replay."""

from __future__ import annotations

import json
import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
TEAM_MS = 360_000  # four minutes of work, and what a busy machine adds to launch and end


def test_link_signs_in_and_a_second_opening_is_told_why_not(app: App, browser: Browser) -> None:
    context = browser.new_context()
    watched = Watched(context, app.url)
    page = watched.go(app.link)
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="New run").click()
    expect(page.get_by_role("heading", name="New run")).to_be_visible()
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    watched.expected.append("410")
    watched.go(app.link)
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    context.close()
    watched.quiet()


def test_demo_is_launched_watched_and_replayed(app: App, watched: Watched) -> None:
    page = watched.go("/runs/new")
    page.get_by_label("Demo team").check()
    expect(page.locator("#checks").get_by_text("Estimate")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Walked demo")
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("heading", name=re.compile("Launching"))).to_be_visible()
    expect(page.get_by_text("Workers joining")).to_be_visible()
    page.wait_for_url("**/runs/walked-demo-1/", timeout=120_000)

    fills(page)
    expect(page.locator("#clock")).to_contain_text("Lasted", timeout=TEAM_MS)
    settled(app, "walked-demo-1")
    scored = page.locator("#score")
    expect(scored).to_contain_text(re.compile(r"\d+ of \d+"))
    state = json.loads(app.manage("run_state", "walked-demo-1", "--json"))["tables"]
    page.reload()
    expect(page.locator("#census")).to_contain_text("8 workers")
    expect(page.locator("#claims-count")).to_contain_text(f"of {len(state['claims'])}")
    replayed(watched, "walked-demo-1")


def fills(page: Page) -> None:
    """What the team does appears by itself, part after part."""
    expect(page.locator("#census")).to_contain_text("8 workers", timeout=60_000)
    expect(page.locator("#board li").first).to_be_visible(timeout=90_000)
    expect(page.locator("#claims tr").first).to_be_visible(timeout=90_000)
    expect(page.locator("#pulls tr").first).to_be_visible(timeout=180_000)
    expect(page.locator("#feeds")).to_contain_text("board")
    before = page.locator("#behind").inner_text()
    page.wait_for_function(
        "before => document.getElementById('behind').innerText !== before", arg=before, timeout=60_000
    )


def settled(app: App, slug: str) -> None:
    """The final change log is written a moment after the end."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        listed = json.loads(app.manage("run_state", slug, "--json"))
        if listed["tables"]["workers"]:
            return
        time.sleep(1)


def replayed(watched: Watched, slug: str) -> None:
    """The replay draws, scrubs from start to end, and its State follows the cursor."""
    page = watched.go(f"/runs/{slug}/replay")
    expect(page.locator("canvas").first).to_be_visible(timeout=30_000)
    page.wait_for_function(
        "() => document.getElementById('clock') && !document.getElementById('clock').textContent.startsWith('---')"
    )
    scrubber = page.locator("#scrubber")
    scrubber.focus()
    page.keyboard.press("Home")
    at_start = page.locator("#clock").inner_text()
    page.keyboard.press("End")
    page.wait_for_function("before => document.getElementById('clock').innerText !== before", arg=at_start)
    page.wait_for_function("() => location.search.includes('t=')")  # the address follows a moment later

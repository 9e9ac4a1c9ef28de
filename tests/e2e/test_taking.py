"""What a person looks at is what the tab Export takes: worker and stretch of time of the replay."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e


def test_the_stretch_of_time_and_the_worker_of_the_replay_go_to_the_export(watched: Watched) -> None:
    page = watched.go("/runs/first-run/replay?t=60&w=2&span=40")
    expect(page.locator("#lanes")).to_be_visible()
    page.locator("#lanes").focus()
    page.keyboard.press("w")  # zooms in
    page.wait_for_function("() => document.body.dataset.shown")
    shown = page.locator("body").get_attribute("data-shown")
    assert shown
    page.get_by_role("link", name="Export").click()
    since, until = shown.split(" ")
    expect(page.get_by_label("From second")).to_have_value(since)
    expect(page.get_by_label("To second")).to_have_value(until)
    expect(page.get_by_role("textbox", name="Worker")).to_have_value("2")
    assert float(until) - float(since) < 40.5
    page.go_back()
    expect(page.locator("#lanes")).to_be_visible()


def test_the_whole_replay_narrows_nothing(watched: Watched) -> None:
    page = watched.go("/runs/first-run/replay")
    expect(page.locator("#lanes")).to_be_visible()
    page.get_by_role("link", name="Export").click()
    expect(page.get_by_label("From second")).to_have_value("")

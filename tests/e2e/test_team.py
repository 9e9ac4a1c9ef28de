"""The Team view and the summary, as people use them: by keyboard, down to the raw delivery, on paper."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e


def test_a_reviewer_is_chosen_by_keyboard_and_its_authors_are_listed(watched: Watched) -> None:
    page = watched.go("/runs/first-run/team")
    link = page.locator(".ribbons a").filter(has_text="w0002")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**reviewer=2**")
    expect(page.locator("#h-picked")).to_contain_text("w0002")
    page.get_by_role("row").filter(has_text="w0001").get_by_role("link", name="w0001").first.click()
    expect(page.get_by_role("heading", name="reviewed by w0002")).to_be_visible()


def test_charts_are_drawn_and_follow_the_theme(watched: Watched) -> None:
    page = watched.go("/runs/first-run/team?theme=light")
    for name in ("integrators", "fates", "ledger", "collisions"):
        expect(page.locator(f"[data-chart={name}] .main-svg").first).to_be_visible()
    ink = "() => document.querySelector('[data-chart=fates] .legendtext').style.fill"
    before = page.evaluate(ink)
    page.get_by_role("button", name="Switch between dark and light").click()
    page.wait_for_function(
        "before => document.querySelector('[data-chart=fates] .legendtext').style.fill !== before", arg=before
    )


def test_a_behaviour_leads_to_the_events_that_show_it_and_those_to_the_raw_delivery(watched: Watched) -> None:
    page = watched.go("/runs/first-run/behaviours")
    page.get_by_role("row", name="Approvals withdrawn").get_by_role("link", name="pieces of evidence").click()
    expect(page.get_by_role("heading", name="Its evidence")).to_be_visible()
    page.locator(".joined .ev").last.click()
    expect(page.get_by_role("heading", name="Raw delivery")).to_be_visible()


def test_a_recovered_claim_shows_the_takers_branch_and_reviews(watched: Watched) -> None:
    page = watched.go("/runs/first-run/claims?status=recovered")
    page.locator(".ledger-table tbody a").first.click()
    together = page.locator("table").filter(has_text="Taken over by")
    expect(together).to_contain_text("landed")
    expect(together.get_by_role("row", name="Branch").last).to_be_visible()
    expect(together.get_by_role("row", name="Merge").last).to_be_visible()


def test_the_summary_prints_on_one_page(watched: Watched) -> None:
    page = watched.go("/runs/first-run/summary")
    expect(page.get_by_text("57 of 64 hidden tests")).to_be_visible()
    for size in ("A4", "Letter"):
        assert page.pdf(format=size, print_background=True).count(b"/Type /Page\n") == 1, size

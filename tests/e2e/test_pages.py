"""Every page in a real browser: no serious fault for people who cannot see or point, nothing sideways, nothing in the console."""

from __future__ import annotations

import re

import pytest
from django.urls import resolve
from playwright.sync_api import expect

import runs.urls
import trajectories.urls
from tests.e2e.access import LOOKS, faults_of_both, look
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
PAGES = [
    "/",
    "/?q=nothing-matches-this",
    "/runs/new",
    "/runs/new?preset=team-1024",
    "/import",
    "/compare",
    "/compare?runs=first-run",
    "/decided",
    "/people",
    "/tokens",
    "/password",
    "/runs/first-run/",
    "/runs/first-run/replay",
    "/runs/first-run/claims/1",
    "/runs/first-run/pulls/1",
    "/runs/first-run/workers/1",
    "/runs/first-run/workers/1/transcript",
    "/runs/first-run/workers/1/knows?t=30",
    "/search",
    "/search?q=lexer",
    "/search?q=the&run=first-run&kind=note",
    "/runs/first-run/evidence/run/1",
    "/runs/first-run/team",
    "/runs/first-run/team/1/3",
    "/runs/first-run/claims",
    "/runs/first-run/claims?status=lost&sort=longest",
    "/runs/first-run/pulls",
    "/runs/first-run/behaviours",
    "/runs/first-run/summary",
    "/runs/first-run/proof/behaviours/integrator",
    "/runs/first-run/claims/5",
    "/models",
    "/api",
    "/runs/first-run/launch",
    "/runs/first-run/export",
    "/runs/first-run/claims/nonsense",
]
ELSEWHERE = {
    "sign-in": "test_alone",
    "sign-in-link": "test_alone",
    "import-job": "test_upload",
}
# What answers with a part of a page, with data or only to a form.
NO_PAGES = {
    *("run-check", "run-phases", "story", "run-submission", "run-cancel", "run-end", "run-nudge", "run-stop-worker"),
    *("sign-out", "person-add", "person-link", "person-role", "person-disable", "person-enable", "person-sign-out"),
    *("endpoint-save", "key-forget", "endpoint-remove", "price-save", "price-remove", "model-retire"),
    *("ingest-acp", "ingest-blob", "ingest-gitea"),
    *("token-add", "token-revoke", "import-big", "import-stop"),
}


@pytest.mark.parametrize("path", PAGES)
def test_page_has_no_serious_fault_of_access_and_does_not_scroll_sideways(path: str, watched: Watched) -> None:
    page, told = watched.page, []
    watched.expected += ["404"] if path.endswith("/nonsense") else []
    for theme, width in LOOKS:
        look(page, theme, width)
        watched.go(path)
        page.wait_for_timeout(800)
        told += faults_of_both(page, theme, width)
    assert told == []


def test_every_page_of_the_address_map_is_looked_at() -> None:
    names = {pattern.name for pattern in [*runs.urls.urlpatterns, *trajectories.urls.urlpatterns]}
    looked_at = {resolve(path.partition("?")[0]).view_name for path in PAGES}
    assert names - looked_at - set(ELSEWHERE) - set(NO_PAGES) == set()


def test_strips_that_scroll_fade_at_the_side_that_has_more_and_show_the_page_one_is_on(watched: Watched) -> None:
    page = watched.page
    look(page, "light", 390)
    watched.go("/runs/first-run/export")
    tabs = page.get_by_role("navigation", name="Pages of this run")
    expect(tabs).to_have_attribute("data-more", "before")
    assert tabs.get_by_role("link", name="Export").bounding_box()["x"] < 390 - 48  # type: ignore[index]
    watched.go("/runs/first-run/claims")
    expect(tabs).to_have_attribute("data-more", re.compile("after"))
    assert "linear-gradient" in tabs.evaluate("strip => getComputedStyle(strip).maskImage")
    tabs.evaluate("strip => strip.scrollTo(strip.scrollWidth, 0)")
    expect(tabs).to_have_attribute("data-more", "before")
    look(page, "light", 1440)
    expect(tabs).not_to_have_attribute("data-more", re.compile(""))


def test_form_is_checked_as_one_types_and_a_preset_refills_it(watched: Watched) -> None:
    page = watched.go("/runs/new")
    expect(page.locator("#checks")).to_contain_text("Estimate")
    page.get_by_label("Workers", exact=True).fill("5000")
    expect(page.locator("#checks")).to_contain_text("it must be from 1 to 1024")
    page.get_by_label("Team of 128").check()
    page.wait_for_url("**preset=team-128")
    expect(page.get_by_label("Workers", exact=True)).to_have_value("128")


def test_theme_is_kept_for_the_next_page(watched: Watched) -> None:
    page = watched.go("/?theme=light")
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.get_by_role("button", name="Switch between dark and light").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(ground) != before
    watched.go("/people")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_missing_page_is_a_page(watched: Watched) -> None:
    watched.expected.append("404")
    watched.go("/runs/no-such-run/")
    expect(watched.page.get_by_role("heading", name="There is nothing here")).to_be_visible()


def test_ticked_runs_are_compared(watched: Watched) -> None:
    page = watched.go("/compare?runs=first-run")
    expect(page.locator("#chart .main-svg").first).to_be_visible()
    expect(page.get_by_role("row", name="Pulls merged")).to_contain_text("5 of 6")

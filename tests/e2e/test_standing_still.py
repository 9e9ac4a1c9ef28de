"""A page whose scripts do not arrive says so and offers to try again; until a State is read, no page says what is in it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
DRAWN = {  # page: a module deep inside its graph
    "/runs/first-run/": "**/js/trajectory/feed_live.*",
    "/runs/first-run/replay": "**/js/trajectory/feed_recorded.*",
    "/runs/first-run/workers/1/transcript": "**/js/ui/transcript_scroll.*",
    "/runs/first-run/workers/1/knows": "**/js/ui/knowledge.*",
}


@pytest.mark.parametrize("path", DRAWN)
def test_a_module_that_is_cut_off_is_said_and_tried_again(path: str, watched: Watched) -> None:
    watched.expected += ["ERR_FAILED", "Failed to load"]
    page = watched.page
    page.route(DRAWN[path], lambda route: route.abort())
    page.goto(watched.url + path)
    bar = page.get_by_role("alert")
    expect(bar).to_contain_text("did not arrive")
    assert page.locator("[data-reading]", has_text="eading").count() == 0
    page.unroute(DRAWN[path])
    bar.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("[data-reading]:visible", has_text="eading")).to_have_count(0)


def test_a_module_that_takes_long_is_said_until_it_comes(watched: Watched) -> None:
    page, held = watched.page, list[Route]()
    page.clock.install()
    page.route(DRAWN["/runs/first-run/"], lambda route: held.append(route))
    page.goto(watched.url + "/runs/first-run/", wait_until="commit")
    expect(page.get_by_text("reading the State")).to_be_visible()
    page.clock.fast_forward(21_000)
    expect(page.get_by_role("alert")).to_contain_text("taking long")
    for route in held:
        route.continue_()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("path", DRAWN)
def test_without_scripts_it_names_the_pages_that_need_none(
    path: str, app: App, browser: Browser, signed_in: object
) -> None:
    context = browser.new_context(storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(app.url + path)
    expect(page.get_by_text("drawn by scripts")).to_be_visible()
    page.get_by_role("link", name="Summary").last.click()
    expect(page.get_by_role("heading", name="What came out of it")).to_be_visible()
    context.close()


def test_while_the_state_is_read_nothing_is_said_of_it(watched: Watched) -> None:
    page, held = watched.page, list[Route]()
    page.route("**/state**", lambda route: held.append(route))
    page.goto(watched.url + "/runs/first-run/")
    expect(page.get_by_text("reading the State")).to_be_visible()
    for word in ("Nothing was lost", "No claim yet", "No pull yet", "Nobody has taken", "Lanes appear", "No note yet"):
        expect(page.get_by_text(word)).to_be_hidden()
    moments = list[Route]()
    page.route("**/timeline**", lambda route: moments.append(route))
    for route in held:
        route.continue_()
    expect(page.locator("#claims tr").first).to_be_visible()
    expect(page.locator("#chips .chip", has_text="note")).to_contain_text("…")  # not yet known is not none
    for route in moments:
        route.continue_()


def test_while_notes_and_messages_are_read_their_panels_say_so(watched: Watched) -> None:
    page, held = watched.page, list[Route]()
    page.route("**/events?newest**", lambda route: held.append(route))
    page.goto(watched.url + "/runs/first-run/")
    expect(page.locator("#claims tr").first).to_be_visible()
    for name in ("notes", "messages"):
        expect(page.get_by_text(f"Reading the {name} …")).to_be_visible()
        expect(page.get_by_text(f"No {name[:-1]} yet")).to_be_hidden()
    for route in held:
        route.continue_()
    expect(page.locator("#board li").first).to_be_visible()
    expect(page.locator("#chat li").first).to_be_visible()
    for name in ("board", "chat"):
        expect(page.locator(f"#{name}-reading")).to_be_hidden()


def test_notes_that_could_not_be_read_are_not_called_none(watched: Watched) -> None:
    watched.expected += ["500", "Failed to load"]
    page = watched.page
    page.route("**/events?newest**", lambda route: route.fulfill(status=500, body="{}"))
    page.goto(watched.url + "/runs/first-run/")
    expect(page.locator("#board-reading")).to_have_text("Not read yet; asking again.")
    expect(page.get_by_text("No note yet")).to_be_hidden()
    page.unroute("**/events?newest**")
    page.reload()
    expect(page.locator("#board li").first).to_be_visible()
    expect(page.locator("#board-reading")).to_be_hidden()

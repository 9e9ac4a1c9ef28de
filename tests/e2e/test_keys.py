"""Every key that the list of keys names does what the list says; the list keeps the focus in and gives it back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
PICTURE = "document.getElementById('lanes').toDataURL()"


@pytest.fixture(scope="module")
def crowd(app: App, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The slug of a run with more workers than have room at their tallest."""
    bundle = tmp_path_factory.mktemp("crowd") / "crowd.agrun.zip"
    app.manage("simulate_run", "--workers", "20", "--hours", "0.2", "--seed", "7", "--out", str(bundle))
    return str(json.loads(app.manage("import_run", str(bundle), "--json"))["run"])


def replay(watched: Watched, run: str = "first-run") -> Page:
    page = watched.go(f"/runs/{run}/replay")
    page.wait_for_selector("#replay:not([hidden])")
    page.wait_for_timeout(400)
    return page


def drawn_anew(page: Page, key: str) -> None:
    """The key changes the picture of the lanes."""
    before = page.evaluate(PICTURE)
    page.keyboard.press(key)
    page.wait_for_timeout(250)
    assert page.evaluate(PICTURE) != before, f"{key} changes nothing"


def zooms(page: Page) -> None:
    drawn_anew(page, "w")
    drawn_anew(page, "s")


def pans(page: Page) -> None:
    page.keyboard.press("w")
    drawn_anew(page, "a")
    drawn_anew(page, "d")


def shows_all(page: Page) -> None:
    page.wait_for_timeout(250)
    whole = page.evaluate(PICTURE)
    drawn_anew(page, "w")
    page.keyboard.press("0")
    page.wait_for_function(f"whole => {PICTURE} === whole", arg=whole)


def makes_taller(page: Page) -> None:
    for _ in range(4):
        page.keyboard.press("+")  # as tall as they get
    page.wait_for_timeout(250)
    drawn_anew(page, "-")
    drawn_anew(page, "+")


def scrolls(page: Page) -> None:
    lanes = page.locator("#lanes")
    lanes.focus()
    for _ in range(4):
        page.keyboard.press("+")
    page.wait_for_timeout(250)
    for key in ("ArrowDown", "ArrowUp", "PageDown", "PageUp"):
        drawn_anew(page, key)


def steps(page: Page, keys: tuple[str, str]) -> None:
    said = page.locator("#said")
    page.keyboard.press("Home")
    page.keyboard.press(keys[0])
    expect(said).not_to_have_text("")
    first = said.inner_text()
    page.keyboard.press(keys[0])
    expect(said).not_to_have_text(first)
    page.keyboard.press(keys[1])
    expect(said).to_have_text(first.removeprefix("From the start again: "))


def plays(page: Page) -> None:
    page.locator("#scrubber").press("Home")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def scrubs(page: Page) -> None:
    clock = page.locator("#clock")
    for key in ("Home", "ArrowRight", "End", "ArrowLeft"):
        before = clock.inner_text()
        page.locator("#scrubber").press(key)
        if key != "Home":
            expect(clock).not_to_have_text(before)


def searches(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search all runs")).to_be_focused()


def lists_keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def closes(page: Page) -> None:
    lists_keys(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()


DOES: dict[str, Callable[[Page], None]] = {
    "W S": zooms,
    "A D": pans,
    "0": shows_all,
    "+ -": makes_taller,
    "↑ ↓ PgUp PgDn": scrolls,
    ". ,": lambda page: steps(page, (".", ",")),
    "Shift . ,": lambda page: steps(page, ("Shift+Period", "Shift+Comma")),
    "Space": plays,
    "← → Home End": scrubs,
    "/": searches,
    "?": lists_keys,
    "Esc": closes,
}


def test_the_list_names_exactly_the_keys_tried_here(watched: Watched) -> None:
    page = replay(watched)
    page.keyboard.press("?")
    assert set(page.locator("#keys dt").all_inner_texts()) == set(DOES)


@pytest.mark.parametrize("keys", DOES)
def test_a_key_does_what_the_list_says(keys: str, watched: Watched, crowd: str) -> None:
    DOES[keys](replay(watched, crowd))


def test_the_list_keeps_the_focus_and_gives_it_back_and_keys_rest_behind_it(watched: Watched) -> None:
    page = replay(watched)
    button = page.get_by_role("button", name="All keys")
    button.focus()
    page.keyboard.press("Enter")
    before = page.evaluate(PICTURE)
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
        )
    page.keyboard.press("w")
    page.wait_for_timeout(250)
    assert page.evaluate(PICTURE) == before
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_other_pages_name_theirs(watched: Watched) -> None:
    page = watched.go("/runs/first-run/workers/1/transcript")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("next failure")
    page = watched.go("/")
    page.keyboard.press("?")
    expect(page.locator("#keys dt")).to_have_text([re.compile("/"), re.compile(r"\?"), re.compile("Esc")])

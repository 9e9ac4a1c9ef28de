"""A team of 1,025 in trouble: every kind of it is a line with its beginning and one action, worst first, and each worker can be reached."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.access import LOOKS, faults_of_both, look
from tests.e2e.app import App
from tests.e2e.browser import Watched
from tests.e2e.troubled import DEAD, troubled_bundle

pytestmark = pytest.mark.e2e
# what each line says, and the action beside it
LINES = {
    "w0003 is silent": "Nudge w0003",
    "w0004 is stuck": "Stop w0004",
    "w0005 was nudged without effect": "Stop w0005",
    "w0006 repeats a failing call": "Last steps",
    "chat is down": "Copy link",
    "node 03 is lost": "Copy link",
    "#1 lost an approval and is still open": "Open #1",
    "#2 has no reviewer": "Open #2",
    "Nobody has taken over “CLAIM: lexer, src/lex.c”": "Open n1",
    "8 workers died": "Show all 8",
}


@pytest.fixture(scope="module")
def troubled(app: App, tmp_path_factory: pytest.TempPathFactory) -> str:
    told = json.loads(app.manage("import_run", str(troubled_bundle(tmp_path_factory.mktemp("troubled"))), "--json"))
    assert (told["rejected"], told["skipped"]) == (0, 0)
    return str(told["run"])


def test_every_kind_of_trouble_is_a_line_with_since_when_and_one_action(troubled: str, watched: Watched) -> None:
    page = watched.go(f"/runs/{troubled}/")
    lines = page.locator("#attention > li")
    for said, action in LINES.items():
        line = lines.filter(has_text=said)
        expect(line).to_have_count(1, timeout=20_000)
        expect(line).to_contain_text(re.compile(r"since \d\d:\d\d, for \d"))
        expect(line.locator(".act")).to_have_text(action)
    expect(lines.first).to_contain_text("w0003 is silent")  # bad before warn, the oldest first
    assert page.locator("#attention b").count() == page.locator("#attention > li").count()
    assert "<b>disk</b>" in page.locator("#attention").inner_text()
    expect(page.locator("#census")).to_contain_text("1,025 workers")


def test_a_line_of_many_opens_to_each_of_them_by_keyboard(troubled: str, watched: Watched) -> None:
    page = watched.go(f"/runs/{troubled}/")
    button = page.get_by_role("button", name="Show all 8: workers died")
    button.focus()
    page.keyboard.press("Enter")
    for worker in (8, *DEAD):
        line = page.locator("#attention > li.within").filter(has_text=f"w{worker:04d}")
        expect(line.get_by_role("link", name="Last steps")).to_have_attribute(
            "href", f"/runs/{troubled}/workers/{worker}/transcript"
        )
    again = page.get_by_role("button", name="Show as one: workers died")
    expect(again).to_be_focused()
    expect(again).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#attention > li.within")).to_have_count(0)


def test_the_list_has_no_fault_of_access_in_any_look(troubled: str, watched: Watched) -> None:
    page = watched.go(f"/runs/{troubled}/")
    told: list[str] = []
    for theme, width in LOOKS:
        look(page, theme, width)
        expect(page.locator("#attention > li").first).to_be_visible(timeout=20_000)
        told += faults_of_both(page, theme, width)
    assert told == []


def test_what_an_operator_presses_reaches_the_app_and_its_answer_is_said(troubled: str, watched: Watched) -> None:
    watched.expected += ["409", "422"]  # a run that was imported has nobody to nudge
    page = watched.go(f"/runs/{troubled}/")
    line = page.locator("#attention > li").filter(has_text="w0003 is silent")
    with page.expect_response("**/actions/nudge") as answer:
        line.locator(".act").click()
    assert answer.value.json()["ok"] is False
    expect(line.locator(".act")).to_have_text("Refused")
    expect(page.locator("#said")).to_have_text(answer.value.json()["text"])
    stuck = page.locator("#attention > li").filter(has_text="w0004 is stuck").locator(".act")
    stuck.click()
    expect(stuck).to_have_text("Really stop?")  # asked twice before a worker's work ends

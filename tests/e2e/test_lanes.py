"""The lanes in a real browser: what the replay promises beside drawing, on the first fixture run."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
REPLAY = "/runs/first-run/replay"
PIXELS = """() => {
  const canvas = document.getElementById("lanes");
  const { width, height } = canvas;
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(140, 60, width - 160, height - 80).data;
  return Array.from({ length: data.length / 4 }, (_, k) => (data[k * 4] << 16) | (data[k * 4 + 1] << 8) | data[k * 4 + 2]);
}"""


@pytest.fixture
def page(watched: Watched) -> Page:
    found = watched.go(REPLAY)
    expect(found.locator("#state")).to_contain_text("Workers", timeout=30_000)
    return found


def painted(page: Page) -> str:
    """What the canvas shows, as text that changes when it does."""
    found: str = page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.getElementById('lanes').toDataURL()))))"
    )
    return found


def test_panels_at_any_second_say_what_the_server_folds(app: App, page: Page) -> None:
    end = int(page.locator("#scrubber").get_attribute("aria-valuemax") or 0)
    for share in (0.25, 0.6, 0.95):
        page.locator("#scrubber").focus()
        box = page.locator("#scrubber").bounding_box()
        assert box
        page.mouse.click(box["x"] + box["width"] * share, box["y"] + 20)
        page.wait_for_function("() => location.search.includes('t=')")
        page.wait_for_timeout(400)
        t = page.evaluate("Number(new URLSearchParams(location.search).get('t'))")
        assert 0 < t <= end + 1
        told = json.loads(app.manage("run_state", "first-run", "--at", str(t), "--json"))["tables"]
        shown = page.locator("#state h3").all_inner_texts()
        for word, table in (("Claims", "claims"), ("Pulls", "pulls"), ("Recoveries", "recoveries")):
            assert f"{word} {len(told[table])}" in shown


def test_filter_finds_what_was_said_in_the_channel(app: App, page: Page) -> None:
    events = [
        json.loads(line)
        for line in app.manage("run_events", "first-run", "--kind", "message.posted", "--jsonl").splitlines()
    ]
    said = next(each for each in events if each["worker"] is not None)
    word = max(said["fields"]["text"].split(), key=len).strip(".,:;!?")
    page.get_by_role("searchbox").first.press("Escape")
    page.locator("#filter").fill(word)
    page.wait_for_function("() => /of .* lanes match/.test(document.getElementById('said').textContent)")
    page.wait_for_timeout(1_200)
    assert not page.locator("#said").inner_text().startswith("0 of")
    page.locator("#filter").fill("nobody-ever-said-this")
    expect(page.locator("#said")).to_contain_text("0 of")


def test_lanes_are_grouped_ordered_and_made_taller(page: Page) -> None:
    seen = {painted(page)}
    for value in ("role number", "claim number", "none activity", "none join", "node number"):
        page.locator("#grouping").select_option(value)
        seen.add(painted(page))
    page.get_by_role("button", name="Taller lanes").click()
    seen.add(painted(page))
    assert len(seen) >= 3


def test_two_moments_are_compared(page: Page) -> None:
    page.locator("#scrubber").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Compare two moments").click()
    page.locator("#scrubber").focus()
    page.keyboard.press("End")
    expect(page.locator(".compared")).to_contain_text("compared with")
    expect(page.locator("#state .delta").first).to_contain_text(re.compile("[+−=]"))
    page.get_by_role("button", name="Compare two moments").click()
    expect(page.locator(".compared")).to_have_count(0)


def test_a_worker_is_followed_from_event_to_event(page: Page) -> None:
    page.locator("#scrubber").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="merge", exact=True).click()
    page.locator("#inspector").get_by_role("button", name="Follow").click()
    expect(page.locator("#followed")).to_contain_text("Following")
    name = page.locator("#followed b").inner_text()
    page.locator("#forth").click(modifiers=["Shift"])
    expect(page.locator("#inspector")).to_contain_text(name)
    page.get_by_role("button", name="Stop following").click()
    expect(page.locator("#followed")).to_be_hidden()


def test_the_table_says_what_the_lanes_show(page: Page) -> None:
    page.get_by_role("button", name="Table view").click()
    table = page.locator("#table-view")
    expect(table).to_contain_text("workers at")
    expect(table.locator("tbody").first.locator("tr").first).to_contain_text("w0001")


def test_a_picture_of_the_view_is_made(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy picture").click()
    page.wait_for_function("() => document.getElementById('said').textContent.startsWith('A picture of the view is')")


def lanes_alone(page: Page) -> list[int]:
    """The lanes' own pixels, without ruler and names, once they stay as they are."""
    before: list[int] = []
    for _ in range(40):
        page.wait_for_timeout(500)
        found: list[int] = page.evaluate(PIXELS)
        if found == before:
            return found
        before = found
    raise AssertionError("the lanes were never sharp")


def test_a_view_moved_by_strips_is_the_view_painted_at_once(page: Page) -> None:
    for _ in range(4):
        page.keyboard.press("w")
    start = lanes_alone(page)
    for key in "aaadda":  # three back, two forth, one back: moved by strips all the way
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    moved = lanes_alone(page)
    page.keyboard.press("-")  # another height and back: nothing that was kept fits
    page.keyboard.press("+")
    whole = lanes_alone(page)
    assert moved != start
    differing = sum(one != other for one, other in zip(moved, whole, strict=True))
    assert differing <= len(whole) // 500, f"{differing} of {len(whole)} pixels"

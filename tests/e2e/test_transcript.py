"""A transcript of ten thousand steps in a real browser: it scrolls without holding them all, leads from failure to failure, shows hostile output as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.e2e import long_life
from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
PATH = f"/runs/{long_life.SLUG}/workers/1/transcript"


@pytest.fixture(scope="module")
def long_run(app: App, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = long_life.write(tmp_path_factory.mktemp("long") / "bundle")
    app.manage("import_run", str(folder))
    return PATH


def rows(page: Page) -> int:
    return page.locator("#entries .en").count()


def test_ten_thousand_steps_scroll_and_only_those_near_are_held(watched: Watched, long_run: str) -> None:
    page = watched.go(long_run)
    expect(page.locator("#totals")).to_contain_text("20 turns, 10,020 steps")
    expect(page.locator("#entries .en").first).to_be_visible()
    tall = page.evaluate("document.body.scrollHeight")
    assert tall > 100_000
    for share in (0.2, 0.5, 0.9):
        page.evaluate("(share) => scrollTo(0, document.body.scrollHeight * share)", share)
        expect(page.locator("#entries .en").nth(5)).to_be_attached()
        page.wait_for_timeout(600)
        assert 5 < rows(page) < 900
        assert page.evaluate(
            "[...document.querySelectorAll('.en')].some((e) => { const r = e.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; })"
        )


FRAMES = """async (step) => {
  const took = [];
  let last = performance.now();
  await new Promise((done) => {
    const frame = (now) => {
      took.push(now - last);
      last = now;
      scrollBy(0, step);
      took.length < 300 ? requestAnimationFrame(frame) : done();
    };
    requestAnimationFrame(frame);
  });
  return took.slice(1);
}"""


def test_ten_thousand_steps_scroll_smoothly(watched: Watched, long_run: str) -> None:
    """300 frames of 90 px, pages of entries arriving under way, beside 300 frames in which nothing moves: frames and processor time."""
    page = watched.go(long_run)
    expect(page.locator("#entries .en").first).to_be_visible()
    page.wait_for_timeout(500)
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    still = sorted(page.evaluate(FRAMES, 0))
    before = busy(tools)
    moving = sorted(page.evaluate(FRAMES, 90))
    cpu_ms = (busy(tools) - before) * 1000 / len(moving)
    p95 = {"still": still[int(len(still) * 0.95)], "moving": moving[int(len(moving) * 0.95)]}
    print(
        f"p95 of a frame: still {p95['still']:.1f} ms, scrolling {p95['moving']:.1f} ms; {cpu_ms:.1f} ms of processor a frame"
    )
    assert page.evaluate("scrollY") > 20_000
    assert cpu_ms < 16.7  # a frame's time
    assert p95["moving"] < p95["still"] + 100  # the frame in which a stretch of entries comes in, drawn without a GPU


def busy(tools: CDPSession) -> float:
    """Processor seconds of the page's main thread so far."""
    return next(m["value"] for m in tools.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def test_the_next_failure_is_brought_into_sight_and_the_address_keeps_the_place(
    watched: Watched, long_run: str
) -> None:
    page = watched.go(long_run)
    expect(page.locator("#failures")).to_have_text("73 failures")
    for _ in range(2):
        page.get_by_role("button", name="Next failure").click()
        page.wait_for_timeout(400)
    here = page.locator(".en-here")
    expect(here).to_have_class("en en-step en-failed en-here")
    expect(here).to_be_in_viewport()
    place = here.get_attribute("data-id")
    assert page.url.endswith(f"?at={place}")
    page.reload()
    expect(page.locator(".en-here")).to_have_attribute("data-id", str(place))
    expect(page.locator(".en-here")).to_be_in_viewport()
    page.keyboard.press("f")
    expect(page.locator(".en-here")).not_to_have_attribute("data-id", str(place))


def test_words_are_found_in_an_output_far_away_and_marked_there(watched: Watched, long_run: str) -> None:
    page = watched.go(long_run)
    page.get_by_label("Find in this transcript").fill("ran 17 441")
    expect(page.locator("#hits")).to_contain_text("1 found", timeout=30_000)
    page.locator("#hits button").click()
    expect(page.locator(".en-here .term")).to_contain_text("ran 17 441")
    expect(page.locator(".en-here")).to_be_in_viewport()
    page.wait_for_function("() => CSS.highlights.get('found')?.size === 1")


def test_terminal_colours_are_classes_and_everything_else_is_text(watched: Watched, long_run: str) -> None:
    page = watched.go(long_run)
    step = page.locator(".en-step", has_text="make test3").first
    step.locator("summary").first.click()
    output = step.locator(".term").last
    expect(output).to_contain_text("␛]8;;javascript:alert(1)")
    expect(output).to_contain_text("<script>alert(2)</script>")
    expect(output.locator(".tf-1.t-bold")).to_have_text("FAILED")
    assert output.locator("a, script").count() == 0


def test_an_edit_is_a_diff_and_a_cut_string_comes_piece_by_piece(watched: Watched, long_run: str) -> None:
    page = watched.go(long_run)
    edit = page.locator(".en-step", has_text="Edit a.py").first
    edit.locator("summary").first.click()
    expect(edit.locator(".d-out")).to_have_text("2-two")
    expect(edit.locator(".d-in")).to_have_text("2+2")
    big = page.locator(".en-step", has_text="make test4").first
    big.locator("summary").first.click()
    load = big.get_by_role("button", name="Load from the start, 540 kB")
    load.click()
    expect(big.locator(".term")).to_have_count(2)
    more = big.get_by_role("button", name="Load on")
    more.click()
    expect(big.locator(".term")).to_have_count(3)
    more.click()
    expect(big.get_by_role("button", name="Load on")).to_have_count(0)


def test_a_moment_of_the_timeline_leads_here_and_back(watched: Watched, long_run: str) -> None:
    page = watched.go(f"{long_run}?t=1000")
    here = page.locator(".en-here")
    expect(here).to_be_in_viewport()
    assert abs(float(here.get_attribute("data-t") or 0) - 1000) < 5
    expect(page.locator("#to-replay")).to_have_attribute(
        "href", f"/runs/{long_life.SLUG}/replay?t={float(here.get_attribute('data-t') or 0):.3f}&w=1"
    )


def test_slash_leads_to_the_search_and_a_hit_to_its_moment(watched: Watched, long_run: str) -> None:
    page = watched.go("/")
    page.keyboard.press("/")
    page.keyboard.type("test441")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=test441")
    expect(page.locator(".hits mark").first).to_have_text("test441")
    page.locator(".hit-l a", has_text="transcript").first.click()
    expect(page.locator(".en-here")).to_contain_text("test441")

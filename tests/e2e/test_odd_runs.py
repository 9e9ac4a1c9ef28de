"""Runs at the edges are pages like any other: nothing sideways, no fault of access, nothing in the console; what is not there is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e import odd
from tests.e2e.access import LOOKS, faults_of_both, look
from tests.e2e.app import App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
PARTS = ("", "replay", "team", "claims", "pulls", "behaviours", "summary", "export")
OF_ONE = ("workers/1", "workers/1/transcript", "workers/1/knows")


@pytest.fixture(scope="module", params=["empty", "alone", "long"])
def run(request: pytest.FixtureRequest, app: App, tmp_path_factory: pytest.TempPathFactory) -> str:
    made: Callable[[Path], Path] = getattr(odd, request.param)
    told = json.loads(app.manage("import_run", str(made(tmp_path_factory.mktemp("odd"))), "--json"))
    assert told["rejected"] == 0
    return str(told["run"])


def paths(app: App, run: str) -> list[str]:
    tables = json.loads(app.manage("run_state", run, "--json"))["tables"]
    found = [f"/runs/{run}/{part}" for part in (*PARTS, *(OF_ONE if tables["workers"] else ()))]
    found += [f"/runs/{run}/{word}/{next(iter(tables[word]))}" for word in ("claims", "pulls") if tables[word]]
    return [*found, f"/compare?runs={run}", f"/search?run={run}&q=lex"]


def test_every_page_of_it_holds_together(run: str, app: App, watched: Watched) -> None:
    told = []
    for path in paths(app, run):
        for theme, width in LOOKS:
            look(watched.page, theme, width)
            watched.go(path)
            watched.page.wait_for_timeout(700)
            told += [f"{path}: {each}" for each in faults_of_both(watched.page, theme, width)]
    assert told == []


def test_wrong_ids_are_pages_that_say_so(watched: Watched) -> None:
    watched.expected += ["404", "400"]  # a NUL is no address at all
    base = "/runs/first-run"
    for path in (
        *(f"{base}/claims/{key}" for key in ("0", "999999", "x", "1e5", "%00", "-1", "١")),
        *(f"{base}/pulls/{key}" for key in ("0", "99999")),
        *(f"{base}/workers/{key}" for key in ("0", "99999", "99999/transcript")),
        *(f"{base}/evidence/{key}" for key in ("run/99999", "nowhere/1", "acp/9-9-9", "gitea/%2e%2e%2fx")),
        *(f"{base}/proof/{key}" for key in ("roles/none", "nothing/1", "claims/%00")),
        f"{base}/team/1/999",
    ):
        watched.go(path)
        expect(watched.page.locator("main h1")).to_be_visible()
        assert watched.page.get_by_role("link", name="Agensh Web").is_visible(), path


@pytest.fixture
def far_away(app: App, browser: Browser, signed_in: object) -> Iterator[Watched]:
    """A reader whose clock is half an hour off everybody's, and whose language puts the day first."""
    context = browser.new_context(
        storage_state=signed_in,  # type: ignore[arg-type]
        viewport={"width": 1440, "height": 900},
        timezone_id="Asia/Kolkata",
        locale="hi-IN",
    )
    found = Watched(context, app.url)
    yield found
    context.close()
    found.quiet()


def test_times_of_a_run_are_the_run_s_wherever_one_reads_them(watched: Watched, far_away: Watched) -> None:
    for path in ("/runs/first-run/claims/1", "/runs/first-run/summary", "/runs/first-run/pulls", "/search?q=lexer"):
        here, there = (each.go(path).locator("main").inner_text() for each in (watched, far_away))
        assert here == there, path


def test_back_leads_through_filters_and_pages_as_one_came(watched: Watched) -> None:
    page = watched.go("/runs/first-run/claims")
    page.locator("select[name=status]").select_option("landed")
    page.wait_for_url("**status=landed**")
    page.locator(".ledger-table a[href*='/claims/']").first.click()
    page.wait_for_url("**/claims/*")
    page.go_back()
    expect(page.locator("select[name=status]")).to_have_value("landed")
    page.go_back()
    page.wait_for_url(lambda url: "status=" not in url)
    expect(page.locator("select[name=status]")).to_have_value("")

"""Runs at the edges in the browser: one event, all in one second, one worker with very many steps, out of order, 1,025 workers. Each is drawn, and says what is there."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import App
from tests.e2e.browser import Watched
from tests.trajectories.test_odd_imports import AT, bundle, note, run_line, steps, team

pytestmark = pytest.mark.e2e
#: `AGENSH_MANY_STEPS=1000000` is the real thing: about ten minutes on two cores, nearly all of it the import.
MANY = int(os.environ.get("AGENSH_MANY_STEPS", "20000"))


def one_event(folder: Path) -> Path:
    return bundle(folder, [run_line(1, "run.started", AT, duration_s=60, workers=1)])


def one_second(folder: Path) -> Path:
    notes = [note(k, AT + 500, 1 + k % 4) for k in range(1, 301)]
    return bundle(folder, [*team(4), *notes, *steps(1, 1, 40, AT + 100)], 4)


def many_steps(folder: Path) -> Path:
    end = AT + 2_000 + 20 * MANY
    return bundle(folder, [*team(1), *steps(1, 1, MANY, AT + 1_000), run_line(9, "run.ended", end)])


def out_of_order(folder: Path) -> Path:
    lines = [*team(8), *(note(k, AT + k * 1_000, 1 + k % 8) for k in range(1, 120)), *steps(3, 1, 600, AT + 5_000)]
    random.Random(1).shuffle(lines)
    return bundle(folder, lines, 8)


def crowd(folder: Path) -> Path:
    notes = [note(k, AT + 2_000 * k, k) for k in range(1, 1_026)]
    return bundle(folder, [*team(1_025), *notes, *steps(1_025, 1, 3, AT + 3_000)], 1_025)


@pytest.mark.parametrize(
    ("made", "workers", "claims", "took"),
    [
        (one_event, 0, 0, 0),
        (one_second, 4, 300, 40),
        (many_steps, 1, 0, MANY),
        (out_of_order, 8, 119, 600),
        (crowd, 1_025, 1_025, 3),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_it_is_drawn_and_says_what_there_is(
    app: App, watched: Watched, tmp_path: Path, made: Callable[[Path], Path], workers: int, claims: int, took: int
) -> None:
    told = json.loads(app.manage("import_run", str(made(tmp_path / made.__name__)), "--json"))
    assert told["rejected"] == 0
    page = watched.go(f"/runs/{told['run']}/replay")
    page.wait_for_function("() => performance.getEntriesByName('replay-painted').length > 0", timeout=60_000)
    expect(page.locator("#state h3").filter(has_text="Claims")).to_have_text(f"Claims {claims:,}", timeout=20_000)
    expect(page.locator("#state")).to_contain_text("Workers")
    page.get_by_role("button", name="Table view").click()
    rows = page.locator("#table-view table").first.locator("tbody tr")
    expect(rows).to_have_count(workers)
    counted = (
        rows.locator("td:nth-child(5)").all_inner_texts()
        if workers < 100
        else [rows.last.locator("td:nth-child(5)").inner_text()]
    )
    assert sum(int(each.replace(",", "")) for each in counted) == took
    if workers:
        expect(page.locator("#table-view caption").first).to_contain_text(f"{workers:,} workers at")
    watched.go(f"/runs/{told['run']}/")
    expect(page.locator("#census")).to_contain_text(f"{workers:,} worker" if workers else "Workers", timeout=30_000)

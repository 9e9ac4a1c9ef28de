"""One app and one browser for the walk; every test gets a page of its own, signed in, and must leave it quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.app import FIRST_RUN, App, running
from tests.e2e.browser import Watched, chromium, enter


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """`up`, with the first fixture run imported."""
    folder: Path = tmp_path_factory.mktemp("e2e")
    with running(folder) as found:
        found.manage("import_run", str(FIRST_RUN))
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def signed_in(app: App, browser: Browser) -> object:
    """The cookies of the administrator."""
    context = browser.new_context()
    enter(context.new_page(), app.fresh_link())
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def watched(app: App, browser: Browser, signed_in: object) -> Iterator[Watched]:
    context = browser.new_context(storage_state=signed_in, viewport={"width": 1440, "height": 900})  # type: ignore[arg-type]
    found = Watched(context, app.url)
    yield found
    context.close()
    found.quiet()

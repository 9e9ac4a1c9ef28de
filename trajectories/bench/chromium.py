"""A real Chromium for figures of pages; what is missing is said with the command that mends it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
    "--enable-precise-memory-info",
]


class Missing(RuntimeError):
    """What a browser's figures need is not there."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A Playwright browser. Raises Missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Missing("Playwright is missing: make setup-dev") from None
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if not path:
        raise Missing("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def quantiles(values: list[float]) -> dict[str, float]:
    """p50 and p95 by rank, of at least one value."""
    ranked = sorted(values)
    return {f"p{share}": round(ranked[min(len(ranked) - 1, len(ranked) * share // 100)], 1) for share in (50, 95)}

"""A real Chromium, and a page that remembers everything it complained about."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "Chromium is missing: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def enter(page: Page, link: str) -> None:
    """Sign in by a one-time link, as a person does: open it, press its one button."""
    page.goto(link)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


class Watched:
    """A page and its complaints: console errors, uncaught exceptions, dialogs, CSP reports, requests that left the app."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.complaints: list[str] = []
        self.expected: list[str] = []
        context.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('CSP report: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        self.page: Page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)

    def go(self, path: str) -> Page:
        """Open a path of the app and wait until it is loaded."""
        self.page.goto(path if path.startswith("http") else self.url + path)
        return self.page

    def quiet(self) -> None:
        """Nothing was complained about, other than what a test expected."""
        left = [text for text in self.complaints if not any(word in text for word in self.expected)]
        assert left == [], f"the page complained: {left}"

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text} ({message.location.get('url', '')})")

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.complaints.append(f"left the app: {request.url}")

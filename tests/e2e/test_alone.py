"""Pages outside the walk: before sign-in, locked out, and every error page, as accessible as the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.access import LOOKS, faults_of_both, look
from tests.e2e.app import App
from tests.e2e.browser import Watched, enter

pytestmark = pytest.mark.e2e
VIEWER = """
from django.contrib.auth.models import User
from runs.access import give_role
person, _ = User.objects.get_or_create(username="vera")
give_role(person, "viewer")
"""
BROKEN = "from django.template.loader import render_to_string; print(render_to_string('500.html'))"


@pytest.fixture
def stranger(app: App, browser: Browser) -> Iterator[Watched]:
    """Nobody is signed in."""
    context = browser.new_context()
    found = Watched(context, app.url)
    yield found
    context.close()
    found.quiet()


def check(page: Page, show: Callable[[], object], heading: str) -> None:
    told = []
    for theme, width in LOOKS:
        look(page, theme, width)
        show()
        expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
        told += faults_of_both(page, theme, width)
    assert told == []


def test_signing_in_is_open_to_everybody(stranger: Watched) -> None:
    check(stranger.page, lambda: stranger.go("/sign-in"), "Sign in")


def test_a_used_link_says_so(stranger: Watched) -> None:
    stranger.expected.append("410")
    check(stranger.page, lambda: stranger.go("/sign-in/link/spent"), "This link no longer works")


def test_a_locked_name_says_how_long(stranger: Watched) -> None:
    stranger.expected += ["429", "403"]
    page = stranger.go("/sign-in")
    for _ in range(12):
        if page.get_by_label("Password").count() == 0:
            break
        page.get_by_label("Name", exact=True).fill("locked-out-person")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()
    check(page, lambda: None, "Too many wrong passwords")


def test_what_is_missing_or_cannot_be_read_is_a_page(watched: Watched) -> None:
    watched.expected += ["404", "400"]
    check(watched.page, lambda: watched.go("/no-such-page"), "There is nothing here")
    check(watched.page, lambda: watched.go("/runs/first-run/claims/999"), "There is nothing here")


def test_what_a_role_does_not_allow_is_a_page(app: App, stranger: Watched) -> None:
    stranger.expected.append("403")
    app.manage("shell", "-c", VIEWER)
    enter(stranger.page, app.manage("sign_in_link", "vera").strip())
    check(stranger.page, lambda: stranger.go("/people"), "You may not do this")


def test_a_form_without_its_token_is_a_page(stranger: Watched) -> None:
    stranger.expected.append("403")

    def post() -> None:
        page = stranger.go("/sign-in")
        page.evaluate("document.querySelector('[name=csrfmiddlewaretoken]').value = 'x'.repeat(64)")
        page.get_by_label("Name", exact=True).fill("a")
        page.get_by_label("Password").fill("b")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()

    check(stranger.page, post, "The form was too old")


def test_a_fault_of_ours_is_a_page(app: App, stranger: Watched) -> None:
    stranger.expected.append("500")
    html = app.manage("shell", "-c", BROKEN)
    stranger.page.route("**/broken", lambda route: route.fulfill(status=500, content_type="text/html", body=html))
    check(stranger.page, lambda: stranger.go("/broken"), "Something broke on our side")

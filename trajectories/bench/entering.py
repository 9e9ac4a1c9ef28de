"""Signing in by a one-time link, as a person does it: open the page, press its one button."""

from __future__ import annotations

from typing import Any

import httpx


def by_client(client: httpx.Client, link: str) -> None:
    """The session of the link's person, in the client's cookies. Raises httpx.HTTPStatusError."""
    client.get(link).raise_for_status()
    token = client.cookies.get("csrftoken") or ""
    client.post(link, headers={"X-CSRFToken": token, "Referer": str(client.base_url.join(link))}).raise_for_status()


def by_page(page: Any, link: str) -> None:
    """The same in a page of a browser, which then shows the runs."""
    page.goto(link)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(lambda url: "/sign-in" not in url)

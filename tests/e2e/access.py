"""What people who cannot see, point or scroll sideways would stumble over, as a list of sentences."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# In both themes and both widths, by two loads of a page: each is turned to the other theme where it stands, as a reader does.
LOOKS = (("light", 1440), ("dark", 390))
OTHER = {"light": "dark", "dark": "light"}


def faults(page: Page, theme: str, width: int) -> list[str]:
    """Serious and critical findings of axe on the page as it stands, and whether it is wider than its window."""
    found = Axe().run(page).response["violations"]
    told = [
        f"{theme} {width} {each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in {"serious", "critical"} or each["id"] == "region"
        for node in each["nodes"]
    ]
    if (over := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
        told.append(f"{width}: {over} pixels too wide")
    return told


def faults_of_both(page: Page, theme: str, width: int) -> list[str]:
    """`faults` as the page stands, and in the other theme."""
    told = faults(page, theme, width)
    page.emulate_media(color_scheme=OTHER[theme])  # type: ignore[arg-type]
    page.wait_for_timeout(200)
    return told + faults(page, OTHER[theme], width)


def look(page: Page, theme: str, width: int) -> None:
    """Set the theme and the width."""
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 844})

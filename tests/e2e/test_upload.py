"""A bundle of more than 8 MiB is sent from the page, brought in by a process of its own while the page tells how far it is, and opened."""

from __future__ import annotations

import hashlib
import json
import random
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import FIRST_RUN, App
from tests.e2e.browser import Watched

pytestmark = pytest.mark.e2e
BLOB = 9 << 20


def big_bundle(path: Path) -> Path:
    """The first run under another name with nine megabytes that do not compress, as a long output that was cut out of a step."""
    manifest = json.loads((FIRST_RUN / "manifest.json").read_text())
    manifest["run"] |= {"slug": "sent-from-the-page", "name": "Sent from the page"}
    body = random.Random(7).randbytes(BLOB)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for file in sorted((FIRST_RUN / "deliveries").iterdir()):
            archive.write(file, f"deliveries/{file.name}")
        archive.writestr(f"blobs/{hashlib.sha256(body).hexdigest()}", body)
    return path


def test_a_bundle_of_nine_megabytes_comes_in_from_the_page(app: App, watched: Watched, tmp_path: Path) -> None:
    page = watched.go("/import")
    page.locator("input[type=file]").set_input_files(big_bundle(tmp_path / "big.agrun.zip"))
    page.locator("form:has(input[type=file]) button[type=submit]").click()
    page.wait_for_url("**/import/*", timeout=120_000)
    page.get_by_role("link", name="Open the replay").wait_for(timeout=240_000)
    watched.go("/runs/sent-from-the-page/replay")
    expect(page.get_by_role("heading", name="Sent from the page")).to_be_visible()
    told = json.loads(app.manage("run_state", "sent-from-the-page", "--json"))
    assert told["hash"] == json.loads(app.manage("run_state", "first-run", "--json"))["hash"]
    assert not list((app.folder / "uploads").iterdir()), "the file is gone once it is in"

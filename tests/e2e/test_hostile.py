"""What agents write is text on every page: it runs nothing, hides nothing and fetches nothing."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from runs.templatetags.agent_text import visible
from tests.e2e.app import App
from tests.e2e.browser import Watched
from tests.e2e.hostile import STRINGS, hostile_bundle

pytestmark = pytest.mark.e2e
READ = ("team", "claims", "pulls", "behaviours", "summary", "export")
PROVEN = ("claims", "pulls", "reviews", "roles", "recoveries", "behaviours", "waste", "overlaps", "handovers")


@pytest.fixture(scope="module")
def hostile(app: App, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The hostile run, imported like any other; gives its State."""
    bundle: Path = hostile_bundle(tmp_path_factory.mktemp("hostile"))
    told = json.loads(app.manage("import_run", str(bundle), "--json"))
    assert told["rejected"] == 0
    return json.loads(app.manage("run_state", "hostile", "--json"))["tables"]  # type: ignore[no-any-return]


def test_forty_strings_are_only_text(hostile: dict[str, dict[str, object]], watched: Watched) -> None:
    assert len(STRINGS) == len(set(STRINGS)) == 40
    base = "/runs/hostile"
    addresses = ["/", "/compare?runs=hostile", f"{base}/", f"{base}/replay"]
    for table, word in (("claims", "claims"), ("pulls", "pulls"), ("workers", "workers")):
        addresses += [f"{base}/{word}/{key}" for key in hostile[table]]
    addresses += [f"{base}/evidence/board/{n}" for n in range(1, 19)]
    addresses += [f"{base}/{word}" for word in READ]
    addresses += [
        f"{base}/workers/{key}/{word}" for key in hostile["workers"] for word in ("transcript", "knows?t=100")
    ]
    addresses += [f"{base}/proof/{table}/{quote(key, safe='')}" for table in PROVEN for key in list(hostile[table])[:6]]
    addresses += [f"{base}/team/{key.replace('>', '/')}" for key in hostile["trust"]]
    addresses += [f"/search?{urlencode({'q': words, 'run': 'hostile'})}" for words in ("xss", "script", "<img", '"')]
    addresses += [f"{base}/claims?{urlencode({'q': STRINGS[13]})}", f"{base}/export?{urlencode({'q': STRINGS[1]})}"]
    seen = ""
    for address in addresses:
        page = watched.go(address)
        page.wait_for_timeout(900 if address.endswith(("/", "replay", "transcript", "t=100")) else 50)
        for note in page.locator("#board details summary").all():
            note.click()
        seen += page.locator("body").inner_text()
        assert page.evaluate("window.xss === undefined || window.xss instanceof Node"), f"something ran on {address}"
        assert (
            page.locator("main script:not([type='application/json']), main iframe, main object, main base").count() == 0
        ), address
        assert page.evaluate("document.title").find("\u202e") < 0
    flat = " ".join(seen.split())
    missing = [text for text in STRINGS if " ".join(visible(text).split()) not in flat]
    assert missing == [], "these were swallowed or changed instead of shown"


def test_hostile_text_is_visible_text(hostile: dict[str, object], watched: Watched) -> None:
    page = watched.go("/runs/hostile/")
    page.wait_for_timeout(900)
    assert not any(c in page.locator("body").inner_text() for c in "\u202e\u2066\u200b\x1b\x08")

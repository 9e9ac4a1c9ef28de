"""A figure that several pages show is one figure: pages, API, command and export are read side by side."""

from __future__ import annotations

import csv
import html
import io
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from tests.runs.factories import make_person
from tests.trajectories.export.taken import derived, taken
from trajectories.derive import settle

pytestmark = pytest.mark.django_db
N = r"([\d,]+)"
#: figure -> (page, what stands before or around it)
SHOWN = {
    "pulls merged": [
        ("team", rf"of {N} merges?"),
        ("summary", rf"opened and {N} merged"),
        ("summary", rf"Merged pulls {N}"),
        ("compare", rf"Pulls merged {N} of"),
    ],
    "pulls opened": [("summary", rf"{N} pull requests? w\w+ opened"), ("compare", rf"Pulls merged [\d,]+ of {N}")],
    "claims": [
        ("summary", rf"announced {N} sub-tasks?"),
        ("compare", rf"Claims landed or recovered [\d,]+ of {N}"),
        ("claims", rf"Claims {N} "),
        ("export", rf"claims {N} CSV"),
    ],
    "reviews": [("summary", rf"merged; peers wrote {N} reviews?"), ("compare", rf"Reviews {N}")],
    "approvals withdrawn": [("team", rf"Approvals withdrawn {N} of"), ("summary", rf"approvals?, {N} w\w+ taken back")],
    "losses recovered": [
        ("team", rf"Failures recovered {N} of"),
        ("summary", rf"Failures recovered {N} of"),
        ("compare", rf"Recoveries landed {N} of"),
    ],
    "overlaps": [("team", rf"Overlapping claims {N}"), ("summary", rf"{N} times? two agents claimed")],
}


def text(client: Client, address: str) -> str:
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", client.get(address).content.decode(), flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


@pytest.mark.parametrize("over", [False, True], ids=["live", "settled"])
def test_every_page_shows_the_same_figure(client: Client, over: bool, capsys: pytest.CaptureFixture[str]) -> None:
    client.force_login(make_person("ida", "viewer"))
    run = derived()
    if over:
        settle(run.pk)
    pages = {name: text(client, f"/runs/{run.slug}/{name}") for name in ("team", "summary", "claims", "export")}
    pages["compare"] = text(client, f"/compare?runs={run.slug}")
    found = {}
    for figure, places in SHOWN.items():
        read = {f"{page}: {pattern}": re.search(pattern, pages[page]) for page, pattern in places}
        assert all(read.values()), (figure, read)
        values = {place: int(hit[1].replace(",", "")) for place, hit in read.items() if hit}
        assert len(set(values.values())) == 1, (figure, values)
        found[figure] = next(iter(values.values()))
    call_command("run_report", run.slug, "--view", "team")
    told = json.loads(capsys.readouterr().out)
    assert told == client.get(f"/api/v1/runs/{run.slug}/team").json()
    figures = told["figures"]
    assert (figures["merges"], figures["pulls"]) == (found["pulls merged"], found["pulls opened"])
    assert figures["approvals_withdrawn"] == found["approvals withdrawn"]
    assert (told["recoveries"]["landed"], told["overlaps"]["count"]) == (found["losses recovered"], found["overlaps"])
    assert len(list(csv.DictReader(io.StringIO(taken(run, "csv", "claims").decode())))) == found["claims"]
    assert len(taken(run, "jsonl", "ledger.claims").splitlines()) == found["claims"]
    assert len(taken(run, "jsonl", "team.withdrawn").splitlines()) == found["approvals withdrawn"]

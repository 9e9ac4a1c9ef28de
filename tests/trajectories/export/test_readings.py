"""The same statements come from the page, the API, the command and the export, narrowed as the page was narrowed."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person
from tests.trajectories.export.taken import derived, objects, taken
from trajectories.export import READINGS, carried

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return derived()


@pytest.fixture
def ida(client: Client) -> Client:
    client.force_login(make_person("ida", "viewer"))
    return client


def test_the_sentences_of_the_summary_are_the_same_from_page_api_command_and_export(run: Run, ida: Client) -> None:
    exported = [(row["section"], row["text"], row["refs"]) for row in objects(run, "summary")]
    told = ida.get(f"/api/v1/runs/{run.slug}/summary").json()["sections"]
    out = io.StringIO()
    call_command("run_report", run.slug, "--json", stdout=out)
    assert json.loads(out.getvalue())["sections"] == told
    assert exported == [(s["title"], each["text"], each["refs"]) for s in told for each in s["statements"]]
    page = unescape(ida.get(f"/runs/{run.slug}/summary").content.decode())
    assert len(exported) > 10
    assert [text for _, text, _ in exported if text not in page] == []


@pytest.mark.parametrize(
    ("name", "path", "part"),
    [
        ("ledger.claims", "claims", ("lines",)),
        ("ledger.pulls", "pulls", ("lines",)),
        ("behaviours.seen", "behaviours", ("rows",)),
        ("team.recoveries", "team", ("recoveries", "chains")),
        ("team.overlaps", "team", ("overlaps", "pairs")),
        ("team.waste", "team", ("waste", "rows")),
        ("team.withdrawn", "team", ("figures", "withdrawn")),
        ("team.handovers", "team", ("handovers", "listed")),
    ],
)
def test_rows_of_a_reading_are_those_of_the_api(run: Run, ida: Client, name: str, path: str, part: tuple[str]) -> None:
    told = ida.get(f"/api/v1/runs/{run.slug}/{path}").json()
    for each in part:
        told = told[each]
    assert objects(run, name) == told


@pytest.mark.parametrize("name", READINGS)
def test_every_reading_is_the_same_in_all_three_forms(run: Run, name: str) -> None:
    lines = objects(run, name)
    sheet = list(csv.DictReader(io.StringIO(taken(run, "csv", name).decode("utf-8-sig"))))
    frame = pq.read_table(io.BytesIO(taken(run, "parquet", name)))
    assert len(sheet) == frame.num_rows == len(lines)
    if lines:
        assert list(sheet[0]) == frame.column_names == list(lines[0])


def test_files_of_a_ledger_hold_the_lines_its_page_shows(run: Run, ida: Client) -> None:
    for asked in (
        {"status": "recovered"},
        {"q": "lexer"},
        {"worker": "2"},
        {"status": "overlapped", "sort": "longest"},
    ):
        page = ida.get(f"/runs/{run.slug}/claims", asked).content.decode()
        shown = re.findall(r'class="wide"><a href="/runs/[^/]+/claims/(\d+)"', page)
        (link,) = (unescape(href) for href in re.findall(r'href="([^"]+form=jsonl[^"]+)"', page))
        rows = [json.loads(line) for line in b"".join(ida.get(link).streaming_content).splitlines()]
        assert [str(row["claim"]) for row in rows] == shown != []


def test_the_tab_export_takes_the_filters_of_its_page_along(run: Run, ida: Client) -> None:
    page = ida.get(f"/runs/{run.slug}/claims", {"status": "lost", "q": "a b", "sort": "nonsense"}).content.decode()
    assert f'href="/runs/{run.slug}/export?q=a+b&amp;status=lost" data-export' in page
    export = ida.get(f"/runs/{run.slug}/export", {"status": "lost", "q": "a b"}).content.decode()
    assert f"/api/v1/runs/{run.slug}/export?form=csv&amp;table=ledger.claims&amp;q=a+b&amp;status=lost" in export
    assert "?worker=2" in ida.get(f"/runs/{run.slug}/workers/2").content.decode()


@pytest.mark.parametrize(
    ("page", "asked", "number", "query"),
    [
        ("worker", {}, 3, "worker=3"),
        ("pull", {}, 3, ""),
        ("replay", {"w": "17", "t": "5"}, None, "worker=17"),
        ("replay", {"w": "17,18"}, None, ""),
        (
            "search",
            {"q": "x", "worker": "w0017", "from": "1:35", "to": "2:00:00"},
            None,
            "worker=17&q=x&since=95&until=7200",
        ),
        ("search", {"kind": "commit,review"}, None, "kind=commits.%2A%2Creview.%2A%2Ccomment.%2A"),
        ("claims", {"status": "<script>", "worker": "-1"}, None, ""),
        ("export", {"kind": "no.such", "since": "inf"}, None, ""),
    ],
)
def test_what_is_carried_is_always_a_filter_that_holds(
    page: str, asked: dict[str, str], number: int | None, query: str
) -> None:
    assert carried(page, asked, number) == query


def test_words_narrow_events_and_tables_as_they_narrow_a_search(run: Run) -> None:
    everything = objects(run, "events")
    for words in ("lexer", "LEXER", '"the lexer"', "lexer -claim"):
        found = objects(run, "events", q=words)
        assert 0 < len(found) < len(everything)
        assert all("lexer" in json.dumps(row["fields"]).casefold() for row in found)
    assert objects(run, "notes", q="zzzqqq") == []

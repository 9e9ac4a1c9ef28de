"""A run taken away: rows that spreadsheets and data frames read, traces that Perfetto and OpenTelemetry read, all of it the run's own."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from runs.folder import RunFolder
from runs.models import Run
from tests.runs.factories import make_person
from tests.trajectories.export.taken import derived, objects, taken
from tests.trajectories.export.test_traces import is_a_valid_trace
from tests.trajectories.told import delivery, hear, new_run
from trajectories.derive import Deriver
from trajectories.export import EVENTS, NAMES, Filters, exported, rows, tabular
from trajectories.export.perfetto import WORK
from trajectories.models import Stream
from trajectories.reducers import TABLES
from trajectories.replay import state

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return derived()


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_is_the_same_in_all_three_forms(run: Run, name: str) -> None:
    held = list(state(run.pk)["tables"][name].values())
    lines = objects(run, name)
    assert lines == [{column: row.get(column) for column in lines[0]} for row in held] if held else lines == []
    sheet = list(csv.DictReader(io.StringIO(taken(run, "csv", name).decode("utf-8-sig"))))
    assert len(sheet) == len(held)
    frame = pq.read_table(io.BytesIO(taken(run, "parquet", name)))
    assert frame.num_rows == len(held)
    key = TABLES[name].key
    assert [str(value) for value in frame.column(key).to_pylist()] == [str(row[key]) for row in lines]
    assert [row[key].lstrip("'") for row in sheet] == [str(row[key]) for row in lines]


def test_events_come_in_order_of_arrival_and_every_one_names_its_delivery(run: Run) -> None:
    found = objects(run, EVENTS)
    assert [row["n"] for row in found] == list(range(1, Stream.of(run.pk).n + 1))
    assert all(":" in row["ref"] for row in found)
    assert pq.read_table(io.BytesIO(taken(run, "parquet"))).num_rows == len(found)


def test_filters_hold_for_events_tables_and_traces(run: Run) -> None:
    everything = objects(run, EVENTS)
    only = objects(run, EVENTS, kind="pull.*,review.submitted", worker=2)
    expected = [
        r for r in everything if r["worker"] == 2 and (r["kind"].startswith("pull.") or r["kind"] == "review.submitted")
    ]
    assert (only, len(only) > 0) == (expected, True)
    assert {row["worker"] for row in objects(run, "claims", worker="2")} == {2}
    t0 = Stream.of(run.pk).t0
    assert t0 is not None
    early = objects(run, EVENTS, until=30)
    assert 0 < len(early) < len(everything)
    trace = json.loads(taken(run, "perfetto", worker=2))
    assert {each["tid"] for each in trace["traceEvents"] if each["pid"] != WORK} <= {0, 2}


@pytest.mark.parametrize(
    "asked", [{"worker": "x"}, {"worker": "0"}, {"kind": "nothing.*"}, {"since": "inf"}, {"until": "soon"}]
)
def test_a_filter_that_means_nothing_is_refused_by_its_name(run: Run, client: Client, asked: dict[str, str]) -> None:
    client.force_login(make_person("ida", "viewer"))
    answer = client.get(f"/api/v1/runs/{run.slug}/export", {"form": "csv", **asked})
    assert (answer.status_code, next(iter(asked)) in answer.json()["detail"]) == (422, True)
    page = client.get(f"/runs/{run.slug}/export", asked)
    assert page.status_code == 422


@pytest.mark.parametrize("word", ["=HYPERLINK(1)", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "\n=1"])
def test_no_text_of_an_agent_runs_as_a_formula(word: str) -> None:
    run = new_run()
    note = {"seq": 1, "at": "", "op": "note", "worker": "w0001", "note": 1, "type": "FACT", "text": word}
    hear(run, [("board", delivery("1", note))])
    Deriver(run.pk).wake()
    (row,) = csv.DictReader(io.StringIO(taken(run, "csv", "notes").decode("utf-8-sig"), newline=""))
    assert row["text"] == f"'{word}"
    assert objects(run, "notes")[0]["text"] == word  # data stays data where nothing runs it


def test_pages_offer_what_the_filters_lead_to_and_hold_no_agents_markup(run: Run, client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    page = client.get(f"/runs/{run.slug}/export", {"worker": "2", "kind": "pull.*"}).content.decode()
    assert f"/api/v1/runs/{run.slug}/export?form=csv&amp;table=claims&amp;worker=2&amp;kind=pull.%2A" in page
    assert "form=perfetto&amp;worker=2" in page
    hostile = client.get(f"/runs/{run.slug}/export", {"kind": '"><script>alert(1)</script>'})
    assert "<script>alert" not in hostile.content.decode()


def test_what_a_team_built_is_taken_away_once_there_is_something(run: Run, client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    link, folder = f"/runs/{run.slug}/submission.tar.gz", RunFolder.of(run.slug)
    assert client.get(link).status_code == 404
    assert link not in client.get(f"/runs/{run.slug}/export").content.decode()
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.submission.write_bytes(b"work")
    assert link in client.get(f"/runs/{run.slug}/export").content.decode()
    for address in (link, f"/api/v1/runs/{run.slug}/submission"):
        answer = client.get(address)
        assert b"".join(answer.streaming_content) == b"work"
        assert answer["Content-Disposition"] == f'attachment; filename="{run.slug}-submission.tar.gz"'
    Run.objects.filter(pk=run.pk).update(provenance={"salvaged": {"interrupted": True}})
    answer = client.get(link)
    assert b"".join(answer.streaming_content) == b"work"  # read to its end, it is closed
    assert "interrupted" in answer["Content-Disposition"]
    assert "interrupted" in client.get(f"/runs/{run.slug}/export").content.decode()


def test_the_api_sends_a_file_with_its_name_and_type(run: Run, client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    answer = client.get(f"/api/v1/runs/{run.slug}/export", {"form": "parquet", "table": "pulls"})
    assert answer["Content-Disposition"] == f'attachment; filename="{run.slug}.pulls.parquet"'
    assert pq.read_table(io.BytesIO(b"".join(answer.streaming_content))).num_rows > 0
    assert client.get(f"/api/v1/runs/{run.slug}/export", {"form": "csv", "table": "no"}).status_code == 422
    assert client.get(f"/api/v1/runs/{run.slug}/export", {"form": "xls"}).status_code == 422


def test_the_command_writes_a_file_or_a_folder_of_all_tables(run: Run, tmp_path: Path) -> None:
    call_command("export_run", run.slug, str(tmp_path / "all"), "--format", "jsonl", stdout=io.StringIO())
    assert sorted(file.stem for file in (tmp_path / "all").iterdir()) == sorted(NAMES)
    call_command(
        "export_run", run.slug, str(tmp_path / "t.json"), "--format", "perfetto", "--worker", "1", stdout=io.StringIO()
    )
    is_a_valid_trace(json.loads((tmp_path / "t.json").read_text()))
    with pytest.raises(CommandError, match="name a new file"):
        call_command("export_run", run.slug, str(tmp_path / "t.json"), "--format", "otlp")
    with pytest.raises(CommandError, match="worker: must be"):
        call_command("export_run", run.slug, str(tmp_path / "x"), "--format", "otlp", "--worker", "none")


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_events_are_read_as_they_are_sent_and_not_before(run: Run, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the run: one page is read for each piece that goes out."""
    read: list[int] = []
    page = rows.listed.page

    def counted(run_id: int, after: int, limit: int, kind: str, worker: int | None) -> Any:
        read.append(after)
        return page(run_id, after, limit, kind, worker)

    monkeypatch.setattr(rows, "PAGE", 10)
    monkeypatch.setattr(tabular, "BATCH", 10)
    monkeypatch.setattr(rows.listed, "page", counted)
    pieces = exported(run, form, EVENTS, Filters()).pieces
    sent = []
    for _ in range(4):
        sent.append(next(pieces))
        assert len(read) <= len(sent) + 1
    rest = list(pieces)
    assert len(rest) > 4
    assert len(read) == (Stream.of(run.pk).n + 9) // 10

"""A run taken away: rows that spreadsheets and data frames read, traces that Perfetto and OpenTelemetry read, all of it the run's own."""

from __future__ import annotations

import csv
import io
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person
from tests.trajectories.told import delivery, hear, new_run, run_event, told
from trajectories.derive import Deriver
from trajectories.export import EVENTS, NAMES, Filters, exported
from trajectories.models import Stream
from trajectories.reducers import TABLES
from trajectories.replay import state

pytestmark = pytest.mark.django_db
T0 = 1_800_000_000_000


@pytest.fixture
def run() -> Run:
    """The first-run story, derived."""
    made = new_run()
    hear(made, told())
    Deriver(made.pk).wake()
    return made


def taken(run: Run, form: str, table: str = EVENTS, **filters: Any) -> bytes:
    return b"".join(exported(run, form, table, Filters.read(filters)).pieces)


def objects(run: Run, table: str, **filters: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in taken(run, "jsonl", table, **filters).splitlines()]


def worker_says(run: Run, items: list[tuple[int, str, dict[str, Any]]]) -> Run:
    """Worker 1's own words: (ms since T0, direction, message), one ACP item each."""
    made = [
        {
            "n": n,
            "at": f"2027-01-15T08:00:{at // 1000:02d}.{at % 1000:03d}Z",
            "dir": way,
            "session": 1,
            "turn": 1,
            "msg": msg,
        }
        for n, (at, way, msg) in enumerate(items, 1)
    ]
    hear(run, [("run", run_event(1, "worker.enrolled", T0 - 5_000, worker=1, name="w0001", gitea_login="w0001"))])
    hear(run, [("run", run_event(2, "run.started", T0, duration_s=60, model="m"))])
    hear(run, [("acp", delivery("1-1-1", {"worker": 1, "life": 1, "items": made}, at=T0))])
    Deriver(run.pk).wake()
    return run


def step(way: str, call: str, **more: Any) -> dict[str, Any]:
    update = {"sessionUpdate": way, "toolCallId": call, **more}
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}


def slices(trace: dict[str, Any], lane: tuple[int, int]) -> list[dict[str, Any]]:
    return [each for each in trace["traceEvents"] if each["ph"] == "X" and (each["pid"], each["tid"]) == lane]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_table_is_the_same_in_all_three_forms(run: Run, name: str) -> None:
    rows = list(state(run.pk)["tables"][name].values())
    lines = objects(run, name)
    assert lines == [{column: row.get(column) for column in lines[0]} for row in rows] if rows else lines == []
    sheet = list(csv.DictReader(io.StringIO(taken(run, "csv", name).decode("utf-8-sig"))))
    assert len(sheet) == len(rows)
    frame = pq.read_table(io.BytesIO(taken(run, "parquet", name)))
    assert frame.num_rows == len(rows)
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
    assert {each["tid"] for each in trace["traceEvents"] if each["pid"] != 3} <= {0, 2}


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


def test_the_trace_has_a_lane_for_each_worker_with_its_turns_and_steps(run: Run) -> None:
    trace = json.loads(taken(run, "perfetto"))
    lanes = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name" and e["pid"] == 1}
    assert lanes == {worker: row["name"] for worker, row in enumerate(state(run.pk)["tables"]["workers"].values(), 1)}
    kinds = {each["cat"] for each in trace["traceEvents"] if each["ph"] != "M" and "cat" in each}
    assert {"turn", "step", "mark", "claim", "pull"} <= kinds
    is_a_valid_trace(trace)


def is_a_valid_trace(trace: dict[str, Any]) -> None:
    """What the Trace Event Format asks of each phase, and what viewers need: slices of a lane nest, asynchronous ones are paired."""
    pairs: dict[Any, list[str]] = defaultdict(list)
    spans: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    for each in trace["traceEvents"]:
        assert each["ph"] in "XbeiCM"
        assert all(type(each[name]) is int for name in ("pid", "tid"))
        assert isinstance(each["name"], str)
        if each["ph"] != "M":
            assert type(each["ts"]) is int
            assert each["ts"] > 0
        if each["ph"] == "X":
            assert type(each["dur"]) is int
            assert each["dur"] >= 0
            spans[each["pid"], each["tid"]].append((each["ts"], each["ts"] + each["dur"]))
        elif each["ph"] in "be":
            pairs[each["pid"], each["cat"], each["id"], each["name"]].append(each["ph"])
        elif each["ph"] == "i":
            assert each["s"] in "gpt"
        elif each["ph"] == "C":
            assert all(isinstance(value, int) for value in each["args"].values())
    assert all(found == ["b", "e"] for found in pairs.values())
    for found in spans.values():
        open_ends: list[int] = []
        for begin, end in sorted(found, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], "slices of one lane cross"
            open_ends.append(end)


def test_steps_that_run_at_once_or_outlive_their_turn_cross_nothing() -> None:
    run = worker_says(
        new_run(),
        [
            (1000, "loop", {"kind": "turn.started", "turn": 1, "trigger": "first"}),
            (2000, "from_agent", step("tool_call", "a", title="one", kind="execute", status="pending")),
            (3000, "from_agent", step("tool_call", "b", title="two", kind="read", status="pending")),
            (4000, "from_agent", step("tool_call_update", "a", status="completed")),
            (5000, "from_agent", step("tool_call_update", "b", status="failed")),
            (6000, "from_agent", step("tool_call", "c", title="three", kind="execute", status="pending")),
            (7000, "loop", {"kind": "turn.finished", "turn": 1, "stop_reason": "end_turn"}),
            (8000, "from_agent", step("tool_call_update", "c", status="completed")),
            (9000, "from_agent", step("tool_call", "d", title="four", kind="execute", status="pending")),
        ],
    )
    trace = json.loads(taken(run, "perfetto"))
    is_a_valid_trace(trace)
    base = min(each["ts"] for each in trace["traceEvents"] if each.get("cat") == "turn") - 1_000_000
    shown = {(e["cat"], (e["ts"] - base) // 1000, e["dur"] // 1000) for e in slices(trace, (1, 1))}
    assert shown == {("turn", 1000, 6000), ("step", 2000, 2000), ("step", 9000, 0)}
    beside = [
        (e["args"]["status"], (e["ts"] - base) // 1000)
        for e in trace["traceEvents"]
        if e["ph"] == "b" and e["cat"] == "step"
    ]
    assert beside == [("failed", 3000), ("completed", 6000)]
    (last,) = [e for e in slices(trace, (1, 1)) if e["args"].get("unfinished")]
    assert last["cat"] == "step"


def test_otlp_traces_are_turns_with_their_tools_and_requests_under_genai_names() -> None:
    run = worker_says(
        new_run(spec={"model": "m"}),
        [
            (1000, "loop", {"kind": "turn.started", "turn": 1, "trigger": "first"}),
            (2000, "from_agent", step("tool_call", "a", title="run tests", kind="execute", status="pending")),
            (3000, "from_agent", step("tool_call_update", "a", status="failed")),
            (6000, "loop", {"kind": "turn.finished", "turn": 1, "stop_reason": "end_turn"}),
        ],
    )
    metered = {
        "request": "r",
        "purpose": "work",
        "model": "m",
        "input_tokens": 90,
        "cached_tokens": 50,
        "output_tokens": 7,
    }
    metered |= {"n": 1, "worker": 1, "status": 200, "took_ms": 500, "cost_microusd": 3, "reasoning_tokens": 2}
    start = next(e["ts"] for e in slices(json.loads(taken(run, "perfetto")), (1, 1)) if e["cat"] == "turn") // 1000
    hear(run, [("gateway", delivery("1", metered, at=start + 800))])
    Deriver(run.pk).wake()
    lines = [json.loads(line) for line in taken(run, "otlp").splitlines()]
    resource = lines[0]["resourceSpans"][0]
    named = {a["key"]: a["value"] for a in resource["resource"]["attributes"]}
    assert (named["service.name"], named["service.instance.id"]) == (
        {"stringValue": "agensh-worker"},
        {"stringValue": "w0001"},
    )
    spans = {
        span["name"]: span
        for line in lines
        for r in line["resourceSpans"]
        for s in r["scopeSpans"]
        for span in s["spans"]
    }
    assert set(spans) == {"invoke_agent w0001", "execute_tool shell", "chat m"}
    turn, tool, chat = (spans[name] for name in ("invoke_agent w0001", "execute_tool shell", "chat m"))
    assert tool["parentSpanId"] == chat["parentSpanId"] == turn["spanId"]
    assert len({span["traceId"] for span in spans.values()}) == 1
    for span in spans.values():
        assert (len(bytes.fromhex(span["traceId"])), len(bytes.fromhex(span["spanId"]))) == (16, 8)
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        assert span["kind"] in (1, 3)
    facts = {a["key"]: next(iter(a["value"].values())) for a in chat["attributes"]}
    assert (facts["gen_ai.operation.name"], facts["gen_ai.request.model"]) == ("chat", "m")
    assert (facts["gen_ai.usage.input_tokens"], facts["gen_ai.usage.output_tokens"]) == ("90", "7")
    assert facts["gen_ai.usage.cache_read.input_tokens"] == "50"
    assert int(chat["endTimeUnixNano"]) - int(chat["startTimeUnixNano"]) == 500_000_000
    assert (tool["status"]["code"], turn["status"]["code"]) == (2, 1)
    assert taken(run, "otlp") == taken(run, "otlp")  # ids are the run's, not the export's


def test_pages_offer_what_the_filters_lead_to_and_hold_no_agents_markup(run: Run, client: Client) -> None:
    client.force_login(make_person("ida", "viewer"))
    page = client.get(f"/runs/{run.slug}/export", {"worker": "2", "kind": "pull.*"}).content.decode()
    assert f"/api/v1/runs/{run.slug}/export?form=csv&amp;table=claims&amp;worker=2&amp;kind=pull.%2A" in page
    assert "form=perfetto&amp;worker=2" in page
    hostile = client.get(f"/runs/{run.slug}/export", {"kind": '"><script>alert(1)</script>'})
    assert "<script>alert" not in hostile.content.decode()


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

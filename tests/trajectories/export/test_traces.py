"""Traces that Perfetto and OpenTelemetry read: a lane for each worker, spans that nest, GenAI names."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from runs.models import Run
from tests.trajectories.export.taken import derived, slices, step, taken, worker_says
from tests.trajectories.told import delivery, hear, new_run
from trajectories.derive import Deriver
from trajectories.events import millis
from trajectories.export.lanes import FURTHER, TEAM, WORK
from trajectories.replay import state

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return derived()


def test_the_trace_has_a_lane_for_each_worker_with_its_turns_and_steps(run: Run) -> None:
    trace = json.loads(taken(run, "perfetto"))
    lanes = {
        e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name" and e["pid"] == TEAM
    }
    assert lanes.pop(0) == "Team"
    assert lanes == {worker: row["name"] for worker, row in enumerate(state(run.pk)["tables"]["workers"].values(), 1)}
    kinds = {each["cat"] for each in trace["traceEvents"] if each["ph"] != "M" and "cat" in each}
    assert {"turn", "step", "mark", "claim", "pull"} <= kinds
    is_a_valid_trace(trace)


def is_a_valid_trace(trace: dict[str, Any]) -> None:
    """What the Trace Event Format asks of each phase, and what viewers need: slices of a lane nest, asynchronous ones are paired."""
    spans: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    for each in trace["traceEvents"]:
        assert each["ph"] in "XiCM"  # no asynchronous ones: Perfetto gives those no lane of a worker
        assert all(type(each[name]) is int for name in ("pid", "tid"))
        assert isinstance(each["name"], str)
        if each["ph"] != "M":
            assert type(each["ts"]) is int
            assert each["ts"] > 0
        if each["ph"] == "X":
            assert type(each["dur"]) is int
            assert each["dur"] >= 0
            spans[each["pid"], each["tid"]].append((each["ts"], each["ts"] + each["dur"]))
        elif each["ph"] == "i":
            assert each["s"] in "gpt"
        elif each["ph"] == "C":
            assert all(isinstance(value, int) for value in each["args"].values())
    for found in spans.values():
        open_ends: list[int] = []
        for begin, end in sorted(found, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1], "slices of one lane cross"
            open_ends.append(end)


def lane_names(trace: dict[str, Any]) -> dict[tuple[int, int], str]:
    return {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}


def test_every_lane_that_holds_something_has_a_name_in_perfetto(run: Run) -> None:
    trace = json.loads(taken(run, "perfetto"))
    names = lane_names(trace)
    drawn = {(each["pid"], each["tid"]) for each in trace["traceEvents"] if each["ph"] != "M"}
    assert drawn - set(names) == set()
    workers = {worker: row["name"] for worker, row in enumerate(state(run.pk)["tables"]["workers"].values(), 1)}
    assert {tid: name for (_, tid), name in names.items() if tid} == workers


def test_a_step_that_begins_and_ends_with_its_turn_is_inside_it_in_the_order_of_time() -> None:
    run = worker_says(
        new_run(),
        [
            (1000, "loop", {"kind": "turn.started", "turn": 1, "trigger": "first"}),
            (1000, "from_agent", step("tool_call", "a", title="one", kind="execute", status="pending")),
            (5000, "from_agent", step("tool_call_update", "a", status="completed")),
            (5000, "loop", {"kind": "turn.finished", "turn": 1, "stop_reason": "end_turn"}),
        ],
    )
    trace = json.loads(taken(run, "perfetto"))
    outer, inner = sorted(slices(trace, (TEAM, 1)), key=lambda each: each["ts"])
    assert (outer["cat"], inner["cat"]) == ("turn", "step")
    assert inner["ts"] + inner["dur"] < outer["ts"] + outer["dur"]


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
    shown = {(e["cat"], (e["ts"] - base) // 1000, round(e["dur"] / 1000)) for e in slices(trace, (TEAM, 1))}
    assert shown == {("turn", 1000, 6000), ("step", 2000, 2000), ("step", 9000, 0)}
    beside = [(e["args"]["status"], (e["ts"] - base) // 1000) for e in slices(trace, (TEAM, 1 + FURTHER))]
    assert beside == [("failed", 3000), ("completed", 6000)]
    assert lane_names(trace)[TEAM, 1 + FURTHER] == "w0001 (2)"
    (last,) = [e for e in slices(trace, (TEAM, 1)) if e["args"].get("unfinished")]
    assert last["cat"] == "step"


def test_a_step_that_began_before_a_turn_and_ends_inside_it_is_drawn_beside_the_turn() -> None:
    run = worker_says(
        new_run(),
        [
            (1000, "from_agent", step("tool_call", "a", title="one", kind="execute", status="pending")),
            (2000, "loop", {"kind": "turn.started", "turn": 1, "trigger": "first"}),
            (3000, "from_agent", step("tool_call_update", "a", status="completed")),
            (4000, "loop", {"kind": "turn.finished", "turn": 1, "stop_reason": "end_turn"}),
        ],
    )
    trace = json.loads(taken(run, "perfetto"))
    is_a_valid_trace(trace)
    assert [each["cat"] for each in slices(trace, (TEAM, 1))] == ["turn"]
    assert [each["cat"] for each in slices(trace, (TEAM, 1 + FURTHER))] == ["step"]


def test_claims_and_pulls_stand_in_their_workers_lanes_and_a_closed_pull_ends_where_it_was_closed(run: Run) -> None:
    trace = json.loads(taken(run, "perfetto"))
    tables = state(run.pk)["tables"]
    names = lane_names(trace)
    held = [each for each in trace["traceEvents"] if each.get("cat") in ("claim", "pull")]
    assert len(held) == len(tables["claims"]) + len(tables["pulls"])
    for each in held:
        assert each["pid"] == WORK
        kind, key = each["name"].split(":")[0].split(" ")
        row = tables[f"{kind}s"][key]
        owner = row["author"] if kind == "pull" else row["worker"]
        assert names[WORK, each["tid"]].split(" ")[0] == tables["workers"][str(owner)]["name"]
        ended = row["held_until" if kind == "claim" else "closed_at"]
        assert each["args"].get("unfinished", False) == (ended is None)
        assert ended is None or each["ts"] + each["dur"] == millis(ended) * 1000


def test_arrows_lead_from_a_pull_to_its_reviews_and_its_merge(run: Run) -> None:
    trace = json.loads(taken(run, "perfetto"))
    led: dict[int, list[tuple[str, bool]]] = defaultdict(list)
    for each in trace["traceEvents"]:
        if "bind_id" in each:
            assert each["ph"] == "X", "Perfetto binds arrows to slices"
            assert each["flow_out"]
            led[each["bind_id"]].append((each["name"], bool(each.get("flow_in"))))
    assert all([into for _, into in steps] == [False, *[True] * (len(steps) - 1)] for steps in led.values())
    assert any(steps[0][0] == "pull" and "merge" in dict(steps) for steps in led.values())


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
    start = next(e["ts"] for e in slices(json.loads(taken(run, "perfetto")), (TEAM, 1)) if e["cat"] == "turn") // 1000
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

"""The one validation of a run's spec: what it takes, and that each refusal names the field and the fix."""

from __future__ import annotations

from typing import Any

import pytest

from runs.presets import PRESETS
from runs.spec import Known, RunSpec, SpecError
from runs.validation import check_spec, parse_spec, seconds

KNOWN = Known(("rill",), ("mini", "copilot", "claude", "codex", "other"), ("local", "swarm"))
DEMO = PRESETS["demo"].spec


def faults(raw: dict[str, Any], base: RunSpec = DEMO) -> dict[str, str]:
    try:
        check_spec(parse_spec({"task": "rill", **raw}, base), KNOWN)
    except SpecError as problem:
        return problem.errors
    return {}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_valid_once_it_has_a_task_and_an_endpoint(name: str) -> None:
    spec = PRESETS[name].spec
    assert faults({} if spec.scripted else {"endpoint": "http://127.0.0.1:9/v1"}, spec) == {}
    assert PRESETS[name].explanation.endswith(".")


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("workers", "0", "from 1 to 1024"),
        ("workers", 1025, "from 1 to 1024"),
        ("workers", "many", "whole number of workers"),
        ("workers", 2.5, "whole number"),
        ("seed", True, "whole number"),
        ("duration_s", "soon", "whole number of seconds"),
        ("task", "tetris", "choose one of rill"),
        ("backend", "cloud", "choose one of local, swarm"),
        ("effort", "extreme", "choose one of low"),
        ("harnesses", "mini:3,mini:5", "once"),
        ("harnesses", "cursor:8", "not installed"),
        ("harnesses", "mini:3", "make them equal"),
        ("reminders_s", "600", "within the run"),
        ("checkpoint_s", 3600, "longer than the run"),
        ("ramp_s", 200, "shorten the ramp"),
        ("nodes", 4, "one node"),
        ("endpoint", "http://x/v1", "leave it empty"),
        ("name", "a\x00b", "control characters"),
        ("name", "x" * 121, "at most 120"),
        ("colour", "red", "not a field"),
        ("ends_early", "perhaps", "true or false"),
    ],
)
def test_bad_input_is_refused_with_the_field_and_the_fix(field: str, value: Any, says: str) -> None:
    assert says in faults({field: value})[field]


def test_real_model_needs_an_endpoint() -> None:
    assert "OpenAI-compatible" in faults({"model": "gpt-5.6-sol"})["endpoint"]


@pytest.mark.parametrize("endpoint", ["http://[x", "http://host:none/v1", "ftp://host/v1", "host/v1"])
def test_an_endpoint_that_is_no_address_is_refused(endpoint: str) -> None:
    assert "for example http://" in faults({"model": "gpt", "endpoint": endpoint})["endpoint"]


@pytest.mark.parametrize("endpoint", ["http://me:secret@host/v1", "http://host/v1?key=secret"])
def test_an_endpoint_that_would_show_a_secret_is_refused(endpoint: str) -> None:
    said = faults({"model": "gpt", "endpoint": endpoint})["endpoint"]
    assert "every viewer would see" in said
    assert "secret@" not in said


def test_baseline_has_one_worker() -> None:
    errors = faults({"workers": 2, "endpoint": "http://127.0.0.1:9/v1"}, PRESETS["baseline"].spec)
    assert "exactly 1" in errors["workers"]


def test_times_are_read_as_people_write_them() -> None:
    assert [seconds(t) for t in (90, "90", "90s", "45m", "6h", "2d")] == [90, 90, 90, 2700, 21600, 172800]


def test_one_harness_takes_all_workers_unless_counts_are_given() -> None:
    assert parse_spec({"workers": 5}, DEMO).harnesses == (("mini", 5),)
    assert parse_spec({"workers": 5, "harnesses": "mini"}, DEMO).harnesses == (("mini", 5),)
    mixed = parse_spec({"workers": 5, "harnesses": "mini:2,other:3"}, DEMO)
    dealt = [mixed.harness_of(n) for n in range(1, 6)]
    assert (dealt.count("mini"), dealt.count("other")) == (2, 3)


def test_spec_survives_its_json_form() -> None:
    assert parse_spec(DEMO.as_dict()) == DEMO


def test_ramp_is_slow_in_the_first_hour_and_fast_after_it() -> None:
    spec = PRESETS["team-1024"].spec
    assert [spec.joins_at(n) for n in (1, 2, 121, 122)] == [0, 30, 3600, 3603]
    assert [DEMO.joins_at(n) for n in (1, 4, 5, 8)] == [0, 0, 1, 4]


def test_agent_hours_leave_out_the_ramp() -> None:
    assert DEMO.agent_seconds() == 8 * 240 - (1 + 2 + 3 + 4)

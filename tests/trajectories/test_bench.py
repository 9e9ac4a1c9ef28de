"""The bench measures and leaves nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from runs.models import Run
from tests.runs.factories import make_run
from trajectories.bench import BENCHES, bench
from trajectories.models import Delivery

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_a_bench_tells_its_ratio_and_removes_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("trajectories.bench.ingest"), "COUNT", 400)
    call_command("bench", "ingest", "--json", stdout=(out := StringIO()))
    told = json.loads(out.getvalue())
    assert told["ratio"] > 0
    assert told["events"] >= 400
    assert not Run.objects.exists()
    assert not Delivery.objects.exists()


@pytest.mark.django_db
def test_the_speed_of_the_fold_is_told_beside_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = import_module("trajectories.bench.meaning")
    monkeypatch.setattr(bench, "COUNT", 400)
    told = bench.speed()
    assert min(told["live_ratio"], told["settle_ratio"]) > 0
    assert told["events"] >= 400
    assert told["live_equals_settled"]
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_the_search_bench_says_what_an_index_costs_and_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("trajectories.bench.searching"), "DOCUMENTS", 2_000)
    call_command("bench", "search", "--json", stdout=(out := StringIO()))
    told = json.loads(out.getvalue())
    assert told["documents"] == 2_000
    assert told["share_of_storing"] > 0
    assert told["common_ms"] > 0
    assert told["common_like_ms"] > 0
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_live_bench_delivers_to_every_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("trajectories.bench.live"), "SOCKETS", 5)
    monkeypatch.setattr(import_module("trajectories.bench.live"), "BATCHES", 3)
    call_command("bench", "live", "--json", stdout=(out := StringIO()))
    told = json.loads(out.getvalue())
    assert told["messages"] >= 5
    assert told["messages"] % 5 == 0
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_the_lag_of_a_run_is_told_by_source() -> None:
    run = make_run()
    for n, late in enumerate((5, 10, 400), 1):
        fields = {"seq": n, "at": 1_000, "received_at": 1_000 + late, "body": b"", "bytes": 0}
        Delivery.objects.create(run=run, source="board", delivery=str(n), **fields)
    told = import_module("trajectories.bench.compose").lag_of(run)
    assert told == {"board": {"deliveries": 3, "p50": 10, "p95": 400}}


def test_a_bench_of_parts_measures_those_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = import_module("trajectories.bench.meaning")
    monkeypatch.setitem(bench.PARTS, "plain", lambda: {"overlap": {"precision": 1.0, "recall": 0.9}})
    monkeypatch.setitem(bench.PARTS, "cost", lambda: {"ratio": 1.2, "ceiling": 1.3})
    monkeypatch.setenv("AGENSH_BENCH_PARTS", "cost")
    assert bench.meaning()["met"]
    monkeypatch.setenv("AGENSH_BENCH_PARTS", "plain,cost")
    told = bench.meaning()
    assert not told["met"]
    assert {"plain", "cost"} <= told.keys()
    assert "held_out" not in told
    monkeypatch.setenv("AGENSH_BENCH_PARTS", "price")
    with pytest.raises(ValueError, match=r"price; it takes plain, third, held_out, fresh, cost, speed"):
        bench.meaning()


def test_the_bare_server_of_fan_out_begins_without_the_app() -> None:
    """It is another process, started by its module's name: what that imports must not need Django."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "AGENSH"))}
    subprocess.run([sys.executable, "-c", "import trajectories.bench.broadcasting"], env=bare, cwd=ROOT, check=True)


@pytest.mark.parametrize("name", BENCHES)
def test_every_bench_that_is_named_is_there(name: str) -> None:
    assert callable(bench(name))


def test_what_an_event_costs_is_told_four_ways() -> None:
    told = import_module("trajectories.bench.folding").cost(short=500, long=6_000, rounds=1)
    assert told["long"]["events"] > told["short"]["events"] >= 400
    assert min(told[name] for name in ("ratio", "ratio_of_large", "ratio_of_like", "ratio_within")) > 0

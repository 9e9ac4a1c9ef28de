"""Bundles nobody would write by hand: no event, one event, all at once, one worker with very many steps, times out of order, 1,025 workers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.access import give_role
from runs.models import Run
from trajectories.bundle import import_bundle
from trajectories.derive.agtl import decode
from trajectories.derive.marks import KINDS
from trajectories.events import iso
from trajectories.models import EventRow, Segment, Stream
from trajectories.models.reading import arrived
from trajectories.reducers import Fold
from trajectories.replay import state

pytestmark = pytest.mark.django_db
AT = 1_800_000_000_000
Line = tuple[str, str, int, int, Any]  # source, id, seq, at, body


def bundle(folder: Path, lines: Iterable[Line], workers: int = 1) -> Path:
    (folder / "deliveries").mkdir(parents=True)
    manifest = {"format": "agensh-run", "version": 1, "origin": "recorded", "scripted": True}
    manifest |= {"run": {"slug": "odd", "workers": workers}, "provenance": {"case": folder.name}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    files: dict[str, list[str]] = {}
    for source, id, seq, at, body in lines:
        line = {"id": id, "seq": seq, "at": iso(at), "received_at": iso(at), "headers": {}, "body": body}
        files.setdefault(source, []).append(json.dumps(line))
    for source, found in files.items():
        (folder / f"deliveries/{source}.jsonl").write_text("\n".join(found) + "\n")
    return folder


def run_line(n: int, kind: str, at: int, **fields: Any) -> Line:
    return ("run", str(n), n, at, {"n": n, "at": iso(at), "kind": kind, "fields": fields})


def team(workers: int) -> list[Line]:
    told = [run_line(1, "run.started", AT, duration_s=3600, workers=workers)]
    for w in range(1, workers + 1):
        told.append(run_line(2 * w, "worker.enrolled", AT, worker=w, name=f"w{w:04d}"))
        told.append(run_line(2 * w + 1, "worker.joined", AT + 1, worker=w, life=1))
    return told


def note(seq: int, at: int, worker: int = 1) -> Line:
    body = {"seq": seq, "at": iso(at), "op": "note", "worker": f"w{worker:04d}", "note": seq, "type": "CLAIM"}
    return ("board", str(seq), seq, at, {**body, "text": f"the part number {seq}", "detail": None})


def steps(worker: int, first: int, count: int, at: int, every_ms: int = 20) -> list[Line]:
    """`count` steps of 10 ms in batches of 500 items."""
    lines = []
    for start in range(0, count, 250):
        items = []
        for k in range(start, min(start + 250, count)):
            began = at + k * every_ms
            for ended in (False, True):
                update = {"toolCallId": f"c{k}", "sessionUpdate": "tool_call_update", "status": "completed"}
                update |= {} if ended else {"sessionUpdate": "tool_call", "title": "ls", "status": "pending"}
                msg = {"method": "session/update", "params": {"update": update}}
                moment = {"n": first + 2 * k + ended, "at": iso(began + 10 * ended), "dir": "from_agent"}
                items.append({**moment, "session": 1, "turn": 1, "msg": msg})
        number = first + 2 * start
        lines.append(
            (
                "acp",
                f"{worker}-1-{number}",
                number,
                at + start * every_ms,
                {"worker": worker, "life": 1, "items": items},
            )
        )
    return lines


def brought_in(path: Path) -> Run:
    """Imported, right (equal to a plain fold of what was parsed) and shown by every page."""
    done = import_bundle(path)
    run = Run.objects.get(slug=done.run)
    fold = Fold()
    for _, event in sorted(arrived(run.pk, 0), key=lambda pair: _order(pair[1])):
        fold.take(event)
    assert done.rejected_count == 0
    assert done.hash in ("", fold.hash())
    assert state(run.pk)["hash"] == fold.hash()
    person = User.objects.create_user(f"ann-{run.pk}")
    give_role(person, "viewer")
    client = Client()
    client.force_login(person)
    for page in ("", "replay", "team", "behaviours", "summary", "claims"):
        assert client.get(f"/runs/{run.slug}/{page}").status_code == 200, page
    assert client.get("/").status_code == 200
    assert client.get(f"/api/v1/runs/{run.slug}/timeline").status_code == 200
    return run


def _order(event: Any) -> Any:
    from trajectories.events import order_key

    return order_key(event)


def drawn(run: Run) -> list[tuple[int, ...]]:
    segments = Segment.objects.filter(run=run, generation=Stream.of(run.pk).generation).order_by("k")
    return [row for each in segments for row in decode(gzip.decompress(bytes(each.body)))]


def test_a_bundle_without_any_event_is_an_empty_run(tmp_path: Path) -> None:
    run = brought_in(bundle(tmp_path / "none", []))
    assert (Stream.of(run.pk).n, drawn(run), run.status) == (0, [], "ended")


def test_a_bundle_of_one_event(tmp_path: Path) -> None:
    run = brought_in(bundle(tmp_path / "one", [run_line(1, "run.started", AT, duration_s=60, workers=1)]))
    assert (Stream.of(run.pk).n, Stream.of(run.pk).t0) == (1, AT)


def test_everything_in_one_second_keeps_its_order(tmp_path: Path) -> None:
    lines = [*team(4), *(note(k, AT + 500, 1 + k % 4) for k in range(1, 301)), *steps(1, 1, 40, AT + 100)]
    run = brought_in(bundle(tmp_path / "second", lines, 4))
    rows = drawn(run)
    assert len(rows) == 300 + 40 + state(run.pk)["tables"]["claims"].__len__()
    assert {row[0] for row in rows if KINDS[row[3]] == "note"} == {500}
    assert len(state(run.pk)["tables"]["notes"]) == 300


def test_one_worker_with_very_many_steps(tmp_path: Path) -> None:
    run = brought_in(
        bundle(tmp_path / "many", [*team(1), *steps(1, 1, 20_000, AT + 1_000), run_line(9, "run.ended", AT + 500_000)])
    )
    assert state(run.pk)["tables"]["workers"]["1"]["steps"] == 20_000
    rows = [row for row in drawn(run) if KINDS[row[3]] == "step"]
    assert len(rows) == 20_000
    assert {row[1] for row in rows} == {10}
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert not EventRow.objects.filter(run=run, kind__startswith="step").exists()


def test_times_out_of_order_come_to_the_same(tmp_path: Path) -> None:
    lines = [*team(8), *(note(k, AT + k * 1_000, 1 + k % 8) for k in range(1, 120)), *steps(3, 1, 600, AT + 5_000)]
    right = brought_in(bundle(tmp_path / "right", lines, 8))
    turned = [(source, id, seq, at, body) for source, id, seq, at, body in reversed(lines)]
    folder = bundle(tmp_path / "turned", turned, 8)
    for file in (
        folder / "deliveries"
    ).iterdir():  # heard in the order of the lines, hours from when they say they were
        told = [json.loads(line) for line in file.read_text().splitlines()]
        heard = [{**line, "received_at": iso(AT + 7_200_000 - k)} for k, line in enumerate(told)]
        file.write_text("\n".join(map(json.dumps, heard)) + "\n")
    wrong = brought_in(folder)
    assert state(wrong.pk)["hash"] == state(right.pk)["hash"]
    assert state(wrong.pk, 60)["hash"] == state(right.pk, 60)["hash"]
    assert [row[:4] for row in drawn(wrong)] == [row[:4] for row in drawn(right)]


def test_one_thousand_and_twenty_five_workers(tmp_path: Path) -> None:
    lines = [
        *team(1_025),
        note(1, AT + 2_000, 1_025),
        *steps(1_025, 1, 3, AT + 3_000),
        run_line(9_999, "run.ticked", AT + 10_000),
    ]
    run = brought_in(bundle(tmp_path / "1025", lines, 1_025))
    workers = state(run.pk)["tables"]["workers"]
    assert len(workers) == 1_025
    assert (workers["1025"]["steps"], workers["1025"]["current_claim"], workers["1"]["steps"]) == (3, 1, 0)
    assert {row[2] for row in drawn(run)} == {1_025}

"""Settling looks at whole steps a pack at once: it makes of them what a fold makes that is told every event, whatever workers tell."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.trajectories.told import delivery, hear, new_run, run_event
from trajectories.derive.timeline import Timeline
from trajectories.events import iso
from trajectories.models import Pack, Stream
from trajectories.models.packed import COLUMNS, at_a_glance, packed_events, rows_of
from trajectories.models.packing import pack
from trajectories.models.reading import everything
from trajectories.models.weaving import settled
from trajectories.reducers import Fold

pytestmark = pytest.mark.django_db
START = 1_800_000_000_000
MINUTE = 60_000


def test_a_team_that_works_as_teams_do(db: None) -> None:
    _agree(_team(seed=7))


@pytest.mark.parametrize("seed", range(4))
def test_steps_told_twice_or_the_wrong_way_round_or_over_several_batches(seed: int) -> None:
    run = _team(seed, doubled=0.05, swapped=0.1, jitter=4_000)
    assert any(not at_a_glance(row)[0].steps for row in Pack.objects.filter(run=run).values_list(*COLUMNS))
    _agree(run)


def test_a_pack_from_before_glances_were_is_looked_at_when_it_is_read() -> None:
    run = _team(seed=3)
    row = Pack.objects.filter(run=run).values_list(*COLUMNS)[0]
    old = (*row[:3], pack(rows_of(row[3])))
    assert at_a_glance(old) == at_a_glance(row)
    assert packed_events(old) == packed_events(row)


def test_whole_steps_and_other_events_are_together_all_that_the_pack_holds() -> None:
    run = _team(seed=5, doubled=0.02)
    for row in Pack.objects.filter(run=run).values_list(*COLUMNS):
        whole, others = at_a_glance(row)
        steps = [pair for pair in packed_events(row) if pair not in others]
        assert len(steps) == 2 * len(whole.steps)
        assert {event.fields["step"] for _, event in steps} == set(whole.steps)
        assert sorted(n for n, event in steps if event.kind == "step.started") == sorted(whole.numbers)
        ends = {event.fields["step"]: event for _, event in steps if event.kind == "step.finished"}
        assert [ends[step].at for step in whole.steps] == whole.ended
        assert {ref for _, ref, _ in whole.failed} == {e.ref for e in ends.values() if e.fields["status"] == "failed"}


def _agree(run: Any) -> None:
    n = Stream.of(run.pk).n
    slow, quick = Fold(), Fold()
    drawn, seen = Timeline(run.pk, 1), Timeline(run.pk, 1)
    early = 0
    for pair in everything(run.pk, n):
        slow.take(pair[1])
        drawn.take((pair,))
    for glances, events, last in settled(run.pk, n):
        for glance in glances:
            told_whole = not seen.meets(glance.whole) and quick.take_steps(glance.whole)
            if told_whole:
                early += 1
                seen.take_steps(glance.whole)
            else:
                quick.take_tallies(event for _, event in glance.events())
                seen.take(glance.events())
        quick.take_tallies(event for _, event in events)
        seen.take(events)
        if last is not None:
            quick.take(last[1])
            seen.take((last,))
            if last[1].kind == "run.ticked":
                assert quick.hash() == _until(run, n, last[1].at).hash()
    quick.catch_up()
    assert early and slow.tables["checkpoints"]
    assert quick.hash() == slow.hash()
    assert quick.tables["workers"][1]["steps"]
    assert sorted(zip(*(c.tolist() for c in drawn.columns[:5]), strict=True)) == sorted(
        zip(*(c.tolist() for c in seen.columns[:5]), strict=True)
    )


def _until(run: Any, n: int, at: int) -> Fold:
    fold = Fold()
    for _, event in everything(run.pk, n, at):
        fold.take(event)
    return fold


def _team(seed: int, doubled: float = 0.0, swapped: float = 0.0, jitter: int = 0) -> Any:
    """Three workers, one of them with a second life, twelve batches each; steps go on from one batch into the next."""
    chance = random.Random(seed)
    run = new_run("team")
    told = [run_event(1, "run.started", START, duration_s=3_600)]
    for worker in (1, 2, 3):
        told.append(run_event(len(told) + 1, "worker.enrolled", START + worker, name=f"w{worker}", worker=worker))
        told.append(run_event(len(told) + 1, "worker.joined", START + 10 + worker, life=1, worker=worker))
    told.append(run_event(len(told) + 1, "worker.joined", START + 9 * MINUTE, life=2, worker=2))
    told += [run_event(len(told) + k, "run.ticked", START + k * 30_000) for k in range(1, 40)]
    scores = {"checkpoint": 1, "at_s": 300, "passed": 1, "total": 2}
    told += [run_event(len(told) + k, "checkpoint.scored", START + k * 7 * MINUTE + 15_000, **scores) for k in (1, 2)]
    told.append(run_event(len(told) + 1, "run.ended", START + 25 * MINUTE, outcome="done"))
    batches = [
        ("acp", each)
        for worker, life in ((1, 1), (2, 1), (2, 2), (3, 1))
        for each in _batches(chance, worker, life, doubled, swapped, jitter)
    ]
    hear(run, [("run", each) for each in told] + batches)
    return run


def _batches(chance: random.Random, worker: int, life: int, doubled: float, swapped: float, jitter: int) -> list[Any]:
    at, n, call, open_, found = START + 20_000 + (9 * MINUTE if life == 2 else 0), 0, 0, "", []
    for _ in range(12):
        items, first = [], n + 1
        for _ in range(chance.randrange(2, 30)):
            n, at = n + 1, at + chance.randrange(1, 8_000)
            if not open_ or chance.random() < doubled:
                open_ = open_ if open_ and chance.random() < 0.5 else f"call_{(call := call + 1)}"
                said = {"sessionUpdate": "tool_call", "toolCallId": open_, "title": chance.choice(["make", "pytest"])}
            else:
                status = "failed" if chance.random() < 0.4 else "completed"
                said = {"sessionUpdate": "tool_call_update", "toolCallId": open_, "status": status}
                open_ = open_ if chance.random() < doubled else ""
            if chance.random() < 0.1:
                said = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "so"}}
                open_ = open_ if n % 2 else ""
            msg = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": said}}
            when = iso(at + chance.randrange(-jitter, jitter + 1))
            items.append({"n": n, "at": when, "dir": "from_agent", "session": 1, "turn": 1, "msg": msg})
        if len(items) > 1 and chance.random() < swapped:
            items[0]["at"], items[-1]["at"] = items[-1]["at"], items[0]["at"]
        body = {"worker": worker, "life": life, "sent_at": iso(at), "items": items}
        found.append(delivery(f"{worker}-{life}-{first}", body, seq=first, at=at))
    return found

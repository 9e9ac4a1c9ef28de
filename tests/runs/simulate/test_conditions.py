"""The simulated team lives under the published conditions: ramp, nodes, reminders, nudges, losses, scores, and uneven people."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from runs.simulate import simulate
from runs.simulate.bundle import Bundle
from runs.simulate.conditions import join_at
from runs.simulate.curve import PUBLISHED, TESTS, passed
from runs.simulate.simulation import START, Facts, describe
from runs.simulate.world import World
from trajectories.events import millis

MINUTE, HOUR = 60_000, 3_600_000
Lines = dict[str, list[dict[str, Any]]]


def world_of(workers: int, hours: float, folder: Path) -> World:
    """A team that has not begun."""
    return World(
        Bundle(folder / "none"),
        Random(7),
        workers,
        max(1, -(-workers // 64)),
        START,
        START + int(hours * HOUR),
        now=START,
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lines, Facts, list[dict[str, Any]]]:
    """96 workers on two nodes for an hour and a half: what was delivered, what happened, what was planted."""
    folder = tmp_path_factory.mktemp("conditions")
    facts = simulate(96, 1.5, 7, folder / "run", planted=folder / "planted.jsonl")
    lines = {
        file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in (folder / "run" / "deliveries").glob("*.jsonl")
    }
    return lines, facts, [json.loads(line) for line in (folder / "planted.jsonl").read_text().splitlines()[1:]]


def run_events(lines: Lines, kind: str) -> list[dict[str, Any]]:
    return [line["body"] for line in lines["run"] if line["body"]["kind"] == kind]


def loop_items(lines: Lines) -> list[tuple[int, int, dict[str, Any]]]:
    """(worker, at, msg) of what the turn loops say themselves."""
    return [
        (line["body"]["worker"], millis(item["at"]), item["msg"])
        for line in lines["acp"]
        for item in line["body"]["items"]
        if item["dir"] == "loop"
    ]


def test_all_of_1024_are_there_after_about_105_minutes(tmp_path: Path) -> None:
    world = world_of(1024, 6, tmp_path)
    joins = [(join_at(world, number) - START) / MINUTE for number in range(1, 1025)]
    assert joins == sorted(joins)
    assert 104 <= joins[-1] <= 106
    assert (joins[60] - joins[0], joins[1000] - joins[980]) == (pytest.approx(30), pytest.approx(1))
    assert Counter(map(world.node_of, range(1, 1025))) == dict.fromkeys(range(1, 17), 64)


def test_six_hours_have_twelve_scores_on_a_curve_that_ends_on_the_published_one(tmp_path: Path) -> None:
    spec = describe(world_of(1024, 6, tmp_path), 6, 7)
    assert spec["checkpoint_s"] == 1800
    for workers, percent in PUBLISHED.items():
        curve = [passed(workers, 30 * k, 360) for k in range(1, 13)]
        assert curve == sorted(curve) and curve[0] < curve[-1]
        gains = [after - before for before, after in zip([0, *curve], curve, strict=False)]
        assert gains == sorted(gains, reverse=True)  # most is won early
        assert curve[-1] / TESTS * 100 == pytest.approx(percent, abs=0.02)


def test_checkpoints_are_scored_as_often_as_the_spec_says(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, _ = told
    scores = [event["fields"]["passed"] for event in run_events(lines, "checkpoint.scored")]
    assert len(scores) == 4 and scores == sorted(scores)


def test_a_node_dies_with_everybody_on_it(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, _ = told
    (lost,) = run_events(lines, "node.lost")
    number = int(lost["fields"]["node"][-2:])
    gone = [event["fields"]["worker"] for event in run_events(lines, "worker.exited") if event["at"] == lost["at"]]
    assert len(gone) >= 40
    assert {(worker - 1) * 2 // 96 + 1 for worker in gone} == {number}


def test_workers_are_reminded_nudged_stall_crash_and_lose_claims(told: tuple[Lines, Facts, Any]) -> None:
    lines, facts, _ = told
    said = Counter((msg["kind"], msg.get("minutes_left")) for _, _, msg in loop_items(lines))
    assert said["reminder.sent", 45] > 80 and said["reminder.sent", 5] > 30
    assert said["nudge.sent", None] > 0
    assert run_events(lines, "worker.silent") and run_events(lines, "worker.heard")
    for what in ("crashed", "stalled", "lost_expired", "lost_abandoned", "lost_crashed", "lost_failed"):
        assert facts.happenings[what] > 0, what
    again = [event for event in run_events(lines, "worker.joined") if event["fields"]["life"] > 1]
    assert again


def test_a_reminder_is_followed_by_a_burst_of_posts(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, _ = told
    at = min(at for _, at, msg in loop_items(lines) if msg["kind"] == "reminder.sent")
    posts = [millis(line["at"]) for line in lines["mattermost"]]
    before, after = (sum(start <= post < start + MINUTE for post in posts) for start in (at - MINUTE, at))
    assert after > 2 * before


def test_activity_is_uneven_and_merging_heavy_tailed(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, _ = told
    reviews = [line["body"] for line in lines["gitea"] if line["body"].get("action") == "reviewed"]
    merges = [
        body
        for body in (line["body"] for line in lines["gitea"])
        if body.get("action") == "closed"
        and body["pull_request"]["merged"]
        and body["sender"]["login"] != body["pull_request"]["user"]["login"]
    ]
    of_reviews, of_merges = (counts(Counter(body["sender"]["login"] for body in each)) for each in (reviews, merges))
    assert of_reviews[0] > 2 * statistics.median(of_reviews)
    assert sum(of_merges[:19]) > 0.5 * sum(of_merges)  # a fifth of the team lands half of what others wrote, and more
    assert statistics.median(of_merges) <= 1


def counts(found: Counter[str]) -> list[int]:
    """Of every worker, most first."""
    return sorted((found.get(f"w{number:04d}", 0) for number in range(1, 97)), reverse=True)


def test_some_pulls_never_land_and_roles_and_trust_emerge(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, planted = told
    pulls = [line["body"] for line in lines["gitea"] if line["headers"].get("X-Gitea-Event-Type") == "pull_request"]
    opened = {body["number"] for body in pulls if body["action"] == "opened"}
    merged = {body["number"] for body in pulls if body["action"] == "closed" and body["pull_request"]["merged"]}
    assert merged and opened - merged
    assert {"integrator", "trusted", "withdrawal", "overlap", "recovery"} <= {fact["kind"] for fact in planted}


def test_every_source_speaks_in_its_own_shape(told: tuple[Lines, Facts, Any]) -> None:
    lines, _, _ = told
    assert set(lines) == {"run", "board", "mattermost", "gitea", "acp"}
    for line in lines["gitea"]:
        assert {"X-Gitea-Event-Type", "X-Gitea-Sweep", "X-Agensh-Sweep"} & set(line["headers"])
    assert {line["body"]["op"] for line in lines["board"]} == {"note", "refused", "read"}
    assert any(line["body"]["row"]["editat"] for line in lines["mattermost"])
    assert any(
        line["body"]["row"]["deleteat"] and not line["body"]["row"]["originalid"] for line in lines["mattermost"]
    )
    states = Counter(msg["state"] for _, _, msg in loop_items(lines) if msg["kind"] == "inbox.moved")
    assert set(states) == {"stored", "leased", "shown", "acknowledged"}
    texts = [line["body"]["text"] for line in lines["board"] if line["body"]["op"] == "note"]
    foreign = sum(any(ord(character) > 127 for character in text) for text in texts) / len(texts)
    assert 0.01 < foreign < 0.2

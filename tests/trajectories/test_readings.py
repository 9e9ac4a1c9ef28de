"""What the pages say of a team is what its State says, in figures that add up."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from runs.models import Run
from trajectories import readings
from trajectories.newest import Newest, newest
from trajectories.readings.tools import step
from trajectories.readings.trust import graph
from trajectories.views.curve import curve


@pytest.fixture
def found(run: Run) -> Newest:
    return newest(run)


def test_every_merge_is_in_one_step_of_one_line_of_the_integrator_share(found: Newest) -> None:
    told = readings.team(found)
    merged = sum(1 for row in found.tables["pulls"].values() if row["status"] == "merged")
    assert (
        sum(sum(each["merges"]) for each in told["integrators"]["series"]) == merged == told["figures"]["merges"] == 5
    )
    assert sum(told["integrators"]["merges"]) == merged


def test_every_pull_has_one_fate(found: Newest) -> None:
    fates = readings.team(found)["fates"]["fates"]
    assert {name: sum(counts) for name, counts in fates.items()} == {"merged": 5, "closed": 1}


def test_the_review_graph_counts_reviews_that_stood_and_nothing_twice(found: Newest) -> None:
    trust = readings.team(found)["trust"]
    assert trust["by"] == "worker"
    assert sum(count for _, _, count in trust["ribbons"]) == trust["stood"]
    assert sum(end["stood"] for end in trust["left"]) == sum(end["stood"] for end in trust["right"]) == trust["stood"]
    assert 0 < trust["stood"] < trust["reviews"]


def test_a_pair_tells_its_reviews_with_the_counterexample_of_the_one_taken_back(found: Newest) -> None:
    row = next(row for row in found.tables["reviews"].values() if row["status"] == "withdrawn")
    told = readings.pair(found, row["author"], row["reviewer"])
    assert told is not None and told["withdrawn"] == 1
    assert "1e5" in next(review for review in told["reviews"] if review["status"] == "withdrawn")["counterexample"]


def test_a_loss_and_its_take_over_are_a_chain_of_two_workers(found: Newest) -> None:
    [chain] = readings.team(found)["recoveries"]["chains"]
    assert [link["word"] for link in chain["links"]] == ["failed", "taken over", "landed"]
    assert chain["workers"] == 2
    assert chain["took_s"] == pytest.approx(chain["links"][-1]["at_s"] - chain["links"][0]["at_s"])


def test_an_overlap_is_told_once_with_what_the_two_said(found: Newest) -> None:
    told = readings.team(found)
    [pair] = told["overlaps"]["pairs"]
    assert told["overlaps"]["count"] == told["overlaps"]["settled"] == told["overlaps"]["by_message"] == 1
    assert sum(told["collisions"]["overlaps"]) == 1
    assert pair["messages"] >= 1 and any(ref.startswith("mattermost:") for ref in pair["refs"])


def test_the_ledger_ends_with_the_claims_still_held(found: Newest) -> None:
    from trajectories.readings.claims import over_time

    told = over_time(found)
    held = sum(1 for row in found.tables["claims"].values() if row["closed_at"] is None)
    assert told["live"][-1] == held
    assert sum(told["opened"]) == len(found.tables["claims"])


def test_the_summary_says_score_recovery_and_that_the_model_is_scripted(run: Run, found: Newest) -> None:
    sections = readings.brief(found, run)
    text = " ".join(each["text"] for section in sections for each in section["statements"])
    assert "57 of 64 hidden tests" in text
    assert "1 sub-task was lost" in text
    assert "scripted model that knows" in text
    proofs = [each for section in sections for each in section["statements"] if each["proof"]]
    assert all(each["refs"] for each in proofs) and proofs


def test_a_reader_of_an_older_snapshot_sees_nothing_move(run: Run, found: Newest) -> None:
    from trajectories.derive import changelog
    from trajectories.models import Stream
    from trajectories.reducers import Change

    stream = Stream.of(run.pk)
    before = dict(found.tables["claims"][1])
    change = Change(0, "run:1", "put", "claims", 1, {"text": "changed"})
    changelog.append(run.pk, stream.generation, stream.c, [change])
    later = newest(run)
    assert later.tables["claims"][1]["text"] == "changed"
    assert found.tables["claims"][1] == before
    assert later.tables["pulls"] is found.tables["pulls"]


def test_the_pulls_ledger_has_every_pull_with_its_fate_and_its_reviews_in_order(found: Newest) -> None:
    told = readings.pulls(found)
    lines = [readings.pull_line(found, row) for row in told["lines"]]
    assert len(lines) == len(found.tables["pulls"]) == sum(told["fates"].values())
    [taken_back] = readings.pulls(found, fate="withdrawn")["lines"]
    reviews = readings.pull_line(found, taken_back)["reviews"]
    assert [each["at"] for each in reviews] == sorted(each["at"] for each in reviews)
    assert all(0 <= line["from_pc"] <= line["to_pc"] <= 100 for line in lines)
    assert readings.pulls(found, fate="merged")["count"] == 5


PAGES = (
    "team",
    "claims",
    "claims?status=lost&sort=longest",
    "behaviours",
    "summary",
    "team?show=open",
    "team?reviewer=2",
    "pulls",
    "pulls?fate=withdrawn&sort=reviews",
)


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_run_answer(page: str, run: Run, eve: Client) -> None:
    assert eve.get(f"/runs/first-run/{page}").status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_run_of_which_nothing_was_heard_answer(page: str, eve: Client) -> None:
    Run.objects.create(slug="silent", name="Silent", status="draft", spec={"workers": 3})
    answer = eve.get(f"/runs/silent/{page}")
    assert answer.status_code == 200


def test_every_proof_on_the_pages_opens_events_that_lead_to_raw_deliveries(
    run: Run, found: Newest, eve: Client
) -> None:
    told = [readings.team(found), readings.behaviours(found), {"sections": readings.brief(found, run)}]
    proofs = {each["proof"] for each in walk(told) if each.get("proof") and each.get("refs")}
    assert len(proofs) > 5
    for proof in proofs:
        page = eve.get(f"/runs/first-run/{proof}").content.decode()
        assert "/runs/first-run/evidence/" in page, proof


def test_api_and_command_say_what_the_pages_say(run: Run, found: Newest, eve: Client) -> None:
    for view in ("team", "behaviours", "summary"):
        out = StringIO()
        call_command("run_report", "first-run", "--view", view, "--json", stdout=out)
        told = json.loads(out.getvalue())
        assert eve.get(f"/api/v1/runs/first-run/{view}").json() == told
    for view in ("claims/1", "pulls/1", "workers/2"):
        out = StringIO()
        call_command("run_report", "first-run", "--view", view, stdout=out)
        told = json.loads(out.getvalue())
        assert eve.get(f"/api/v1/runs/first-run/{view}").json() == told
        assert told["story"] and told["row"]
    claims = eve.get("/api/v1/runs/first-run/claims?status=lost").json()
    assert claims["count"] == len(claims["lines"])
    assert eve.get("/api/v1/runs/first-run/claims?status=odd").status_code == 422
    for missing in ("claims/999", "pulls/999", "workers/999"):
        assert eve.get(f"/api/v1/runs/first-run/{missing}").status_code == 404
        with pytest.raises(CommandError, match="--view: This run has no"):
            call_command("run_report", "first-run", "--view", missing, stdout=StringIO())
    with pytest.raises(CommandError, match="--view: 'odd' is none of"):
        call_command("run_report", "first-run", "--view", "odd")


def test_the_curve_of_a_score_stays_in_its_drawing_and_says_its_scale() -> None:
    told = curve([(60, 100_000), (120, 300_000)], [(120, 200_000)], 240)
    assert told is not None
    assert [tick["rate"] for tick in told["up"]] == [0, 125_000, 250_000, 375_000, 500_000]
    assert told["dots"][-1]["x"] < told["right"] and told["base"]
    assert curve([], [], 240) is None


def test_workers_of_one_node_are_folded_by_number_and_those_of_several_by_node(found: Newest) -> None:
    assert graph(crowd(found, lambda n: "n1"))["by"] == "number"
    told = graph(crowd(found, lambda n: f"node-{n % 5}"))
    assert told["by"] == "node"
    assert [end["key"] for end in told["left"]] == [f"node-{k}" for k in range(5)]
    inside = graph(crowd(found, lambda n: f"node-{n % 5}"), "node-3")
    assert inside["by"] == "worker"
    assert inside["stood"] == next(end["stood"] for end in told["left"] if end["key"] == "node-3")


def test_an_axis_has_few_steps_however_long_the_time() -> None:
    for span in (1, 200, 21_600, 10**7, 2 * 10**9):
        assert span / step(span, 12) <= 12


def crowd(found: Newest, node: Callable[[int], str]) -> Newest:
    """Forty authors, each reviewed once by the next."""
    workers = {
        n: {**found.tables["workers"][1], "worker": n, "name": f"w{n:04d}", "node": node(n)} for n in range(1, 41)
    }
    pulls = {n: {**found.tables["pulls"][1], "number": n, "author": n} for n in workers}
    blank = next(iter(found.tables["reviews"].values()))
    fields = {"verdict": "approved", "status": "standing"}
    reviews = {f"{n}": {**blank, **fields, "pull": n, "author": n, "reviewer": n % 40 + 1} for n in workers}
    tables = {**found.tables, "workers": workers, "pulls": pulls, "reviews": reviews, "trust": {}}
    return replace(found, settled=False, tables=tables, _read={})


def walk(value: Any) -> list[dict[str, Any]]:
    """Every mapping inside."""
    if isinstance(value, dict):
        return [value, *(each for item in value.values() for each in walk(item))]
    return [each for item in value for each in walk(item)] if isinstance(value, list) else []

"""`/` and `/compare`: figures come from the State, unknown is said, and unlike runs are called unlike."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from runs.models import Run
from tests.runs.factories import make_person, make_run
from trajectories.derive import changelog
from trajectories.models import Stream
from trajectories.reducers import TABLES, Change
from trajectories.views import run_list
from trajectories.views.spark import spark

pytestmark = pytest.mark.django_db


@pytest.fixture
def eve() -> Client:
    client = Client()
    client.force_login(make_person("eve", "viewer"))
    return client


def tell(run: Run, table: str, key: Any, **fields: Any) -> None:
    stream = Stream.of(run.pk)
    row = {**TABLES[table].blank, TABLES[table].key: key, **fields}
    changelog.append(run.pk, stream.generation, stream.c, [Change(0, "run:1", "put", table, key, row)])


def score(run: Run, at_s: int, passed: int, total: int = 64) -> None:
    tell(run, "checkpoints", at_s, at_s=at_s, passed=passed, total=total, rate_ppm=passed * 1_000_000 // total)


def test_empty_list_leads_to_the_demo() -> None:
    ben = Client()
    ben.force_login(make_person("ben", "operator"))
    page = ben.get("/").content.decode()
    assert "No runs yet" in page and "/runs/new?preset=demo" in page


def test_viewer_is_not_offered_what_it_may_not_do(eve: Client) -> None:
    page = eve.get("/").content.decode()
    assert "/runs/new" not in page and "/import" not in page


def test_run_without_a_score_is_unknown_and_not_zero(eve: Client) -> None:
    make_run("new-1")
    page = eve.get("/").content.decode()
    assert "<b>unknown</b>" in page and "0.0 %" not in page and "no checkpoint" in page


def test_row_shows_score_census_and_losses_from_the_state(eve: Client) -> None:
    run = make_run("demo-1", "running")
    for n, status in enumerate(("working", "working", "dead"), 1):
        tell(run, "workers", n, name=f"w000{n}", status=status, input_tokens=1000)
    score(run, 20, 16)
    page = eve.get("/").content.decode()
    assert "25.0 %" in page and "16 of 64" in page
    assert 'aria-label="2 working, 1 dead"' in page and "1 lost: w0003" in page
    assert "3 k tokens in" in page and "scripted model" in page
    score(run, 40, 32)
    assert "50.0 %" in eve.get("/").content.decode()


def test_team_is_set_against_the_single_agent_of_its_kind_only(eve: Client) -> None:
    team, base, other = make_run("team", "ended"), make_run("base", "ended"), make_run("other", "ended")
    for run, peers, task in ((base, False, "rill"), (other, True, "else")):
        Run.objects.filter(pk=run.pk).update(spec={**run.spec, "peers": peers}, task=task)
    score(team, 20, 48)
    score(base, 20, 32)
    score(other, 20, 8)
    page = eve.get("/").content.decode()
    assert "+25.0" in page and page.count("none yet") == 1


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=alpha", ["alpha-1"]),
        ("q=8", ["alpha-1", "beta-1"]),
        ("show=live", ["beta-1"]),
        ("group=g1", ["beta-1"]),
        ("q=zzz", []),
    ],
)
def test_list_is_filtered_on_the_server(query: str, found: list[str], eve: Client) -> None:
    make_run("alpha-1", "ended")
    make_run("beta-1", "running", group="g1")
    page = eve.get(f"/?{query}").content.decode()
    assert [slug for slug in ("alpha-1", "beta-1") if f"/runs/{slug}/" in page] == found


@pytest.mark.parametrize(
    "query", ["sort=score", "sort=cost", "sort=workers", "sort=nonsense&page=x&show=x", "page=99999"]
)
def test_odd_queries_do_no_harm(query: str, eve: Client) -> None:
    for k in range(3):
        score(make_run(f"r-{k}", "ended"), 20, 10 * k)
    assert eve.get(f"/?{query}").status_code == 200


def test_best_score_is_first_when_asked(eve: Client) -> None:
    for slug, passed in (("low", 8), ("high", 60), ("mid", 30)):
        score(make_run(slug, "ended"), 20, passed)
    make_run("none", "ended")
    page = eve.get("/?sort=score").content.decode()
    assert sorted(("low", "high", "mid", "none"), key=lambda slug: page.index(f"/runs/{slug}/")) == [
        "high",
        "mid",
        "low",
        "none",
    ]


def test_comparison_says_first_what_makes_runs_unlike(eve: Client) -> None:
    one, two = make_run("one", "ended"), make_run("two", "running", origin="simulated")
    Run.objects.filter(pk=two.pk).update(task="else", spec={**two.spec, "model": "m", "duration_s": 60}, scripted=False)
    score(one, 20, 8)
    score(two, 20, 8, total=80)
    page = eve.get("/compare?runs=one,two,three").content.decode()
    for words in (
        "different tasks",
        "different numbers of tests (64, 80)",
        "model, duration",
        "simulated figures",
        "not over",
        "no run",
    ):
        assert words in page, words
    assert "12.5 %" in page and "10.0 %" in page
    assert "different tasks" not in eve.get("/compare?runs=one").content.decode()


def test_thresholds_on_the_page_are_those_of_the_rules(eve: Client) -> None:
    from trajectories.reducers import RULES

    page = eve.get("/decided").content.decode()
    for name in RULES:
        assert f"<code>{name}</code>" in page


def test_spark_starts_at_zero_and_ends_at_the_last_score() -> None:
    drawn = spark([(60, 250_000), (120, 500_000)], [], 240)
    assert drawn is not None
    assert drawn.team == "M0.0 28.0L27.0 15.0L54.0 2.0"
    assert spark([], [], 240) is None


def test_a_comparison_names_things_as_other_pages_do_and_says_what_it_leaves_out(eve: Client) -> None:
    runs = [make_run(f"team-{k}") for k in range(14)]
    Run.objects.filter(pk=runs[0].pk).update(
        status="ended",
        started_at=datetime(2026, 9, 1, 10, 0, tzinfo=UTC),
        ended_at=datetime(2026, 9, 1, 10, 2, 33, tzinfo=UTC),
    )
    tell(runs[0], "behaviours", "overlap_settled", count=11)
    page = eve.get("/compare?runs=" + ",".join(run.slug for run in runs)).text
    assert "Seen: overlaps settled" in page and "02:33 of " in page
    assert "12 runs fit side by side; left out: <code>team-12</code>, <code>team-13</code>." in page
    alone = eve.get("/compare?runs=team-0").text
    assert "Lay others beside it" in alone


def test_sorting_says_of_how_many_runs_it_is(eve: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_list, "SORTED_MOST", 2)
    for k in range(3):
        make_run(f"many-{k}")
    assert "Of the newest 2" in eve.get("/?sort=score").text
    assert "Of the newest" not in eve.get("/").text


def test_when_a_run_began_stands_in_the_list_on_its_pages_and_beside_others_with_the_zone(eve: Client) -> None:
    run = make_run("dated")
    Run.objects.filter(pk=run.pk).update(started_at=datetime(2026, 3, 29, 1, 30, tzinfo=UTC))
    for page in ("/", "/runs/dated/summary", "/compare?runs=dated"):
        assert "2026-03-29 01:30 UTC" in eve.get(page).text, page

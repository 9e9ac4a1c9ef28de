"""Readings that take long are made once for a settled run: the next process answers from what was kept."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError

from runs.models import Run
from tests.trajectories.export.taken import derived
from trajectories import briefing, manifest, readings
from trajectories.derive import tiles
from trajectories.models import Stream, Tile
from trajectories.newest import Newest, opened
from trajectories.readings import held, kept, links, merges, tools, trust
from trajectories.readings.claims import over_time

TEAM = import_module("trajectories.readings.team")  # the package names its function so
ASKED: dict[str, Callable[[Newest], Any]] = {
    "team": readings.team,
    "pairs": trust.pairs,
    "held": held.held,
    "fates": merges.fates,
    "length": tools.length,
    "summary": briefing._summarised,
    "over time": over_time,
    "links": lambda found: [found.reading(each) for each in links._READINGS.values()],
    "failures": lambda found: found.reading(links._failures),
}


@pytest.fixture
def fresh(run: Run) -> Run:
    """Settled by an import that kept nothing."""
    Tile.objects.filter(run=run, name__startswith=tiles.READING).delete()
    return run


def kept_of(run: Run) -> list[str]:
    return sorted(Tile.objects.filter(run=run, name__startswith=tiles.READING).values_list("name", flat=True))


@pytest.mark.parametrize("name", ASKED)
def test_what_was_kept_is_what_was_made(fresh: Run, name: str) -> None:
    made = ASKED[name](opened(fresh.pk))
    assert kept_of(fresh)
    again = opened(fresh.pk)
    assert ASKED[name](again) == made
    assert {"claims", "reviews"} <= set(again.tables.unread)  # type: ignore[attr-defined]


def test_a_run_that_was_settled_keeps_them_before_anybody_asks(run: Run) -> None:
    assert len(kept_of(run)) == 6 + len(links.COLUMNS) + 1
    call_command("rederive", run.slug)
    names = ("failures", "fates", "held", "length", "pairs", "summary", "team", *links.COLUMNS)
    assert kept_of(run) == sorted(f"reading.{name}" for name in names)


def test_other_code_makes_them_anew(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = readings.team(opened(run.pk))
    monkeypatch.setattr(kept, "_made_by", lambda: "another day's")
    monkeypatch.setattr(TEAM, "figures", lambda newest: {"pulls": -1})
    assert readings.team(opened(run.pk))["figures"] == {"pulls": -1}
    assert told["figures"]["pulls"] > 0


@pytest.mark.django_db
def test_a_run_that_lives_keeps_nothing() -> None:
    run = derived()
    assert readings.team(opened(run.pk))
    assert kept_of(run) == []


def test_a_database_that_cannot_be_written_costs_no_answer(fresh: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(**place: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(tiles, "save", locked)
    assert readings.team(opened(fresh.pk))["figures"]["pulls"] > 0
    assert kept_of(fresh) == []


def test_the_browser_is_not_told_of_them(run: Run) -> None:
    readings.team(opened(run.pk))
    named = [tile["name"] for tile in manifest.manifest(Stream.of(run.pk))["tiles"]]
    assert sorted(named) == ["lean", "overview", "statuses"]

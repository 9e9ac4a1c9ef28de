"""The newest State of a settled run is read table by table, as pages ask, and says what the change log says."""

from __future__ import annotations

import pytest

from runs.models import Run
from trajectories import newest as newest_room
from trajectories import readings, summary
from trajectories.derive import changelog
from trajectories.events import millis
from trajectories.models import Stream, packing
from trajectories.newest import newest
from trajectories.readings.team import _team


@pytest.fixture
def opened(run: Run, monkeypatch: pytest.MonkeyPatch) -> newest_room.Newest:
    """Read anew, with every table of more than two rows kept as texts."""
    monkeypatch.setattr(packing, "LONG", 2)
    newest_room._held.clear()
    return newest(run)


def test_a_page_that_needs_one_table_reads_no_other(opened: newest_room.Newest) -> None:
    readings.behaviours(opened)
    assert {"notes", "reviews", "pulls"} <= set(opened.tables.unread)  # type: ignore[attr-defined]


def test_every_table_holds_what_the_change_log_says(run: Run, opened: newest_room.Newest) -> None:
    stream = Stream.of(run.pk)
    told = changelog.tables_at(run.pk, stream.generation, stream.c)
    assert {name: dict(rows) for name, rows in opened.tables.items()} == told
    assert list(opened.laid_out("pulls").tables["pulls"].items()) == list(told["pulls"].items())


def test_readings_of_tables_laid_out_are_those_of_texts(run: Run, opened: newest_room.Newest) -> None:
    told = _team(opened)
    newest_room._held.clear()
    assert _team(newest(run)) == told


@pytest.mark.parametrize("text", ["2026-11-29T02:14:60.000Z", "2026-11-29T02:14:0a.123Z", "2026-11-29T02:14-07.123Z"])
def test_a_time_that_is_none_is_refused_also_in_a_minute_known_before(text: str) -> None:
    assert millis("2026-11-29T02:14:59.999Z") - millis("2026-11-29T02:14:00.000Z") == 59_999
    with pytest.raises(ValueError):
        millis(text)


def test_the_list_of_runs_never_holds_all_tables_of_a_settled_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream.of(run.pk)
    whole = summary.summarise(changelog.tables_at(run.pk, stream.generation, stream.c))
    monkeypatch.setattr(changelog, "tables_at", lambda *place: pytest.fail("all tables were laid out"))
    summary._at.cache_clear()
    assert summary.of_runs([run.pk]) == {run.pk: whole}

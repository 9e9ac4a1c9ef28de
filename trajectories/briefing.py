"""The run on one page, with what its figures are set against: the same sentences for the page, the API, the command and the export."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from runs.models import Run
from trajectories import readings
from trajectories.baselines import baseline_summary
from trajectories.happened import proofs
from trajectories.newest import Newest, opened
from trajectories.pricing import priced_one
from trajectories.readings import links
from trajectories.readings.claims import over_time
from trajectories.readings.kept import kept
from trajectories.readings.sentences import Told
from trajectories.summary import Summary, summarise


def briefed(run: Run, found: Newest) -> tuple[list[Told], Summary, Summary | None]:
    """The sections of sentences, the run's summary and that of its baseline, None where there is none."""
    found = found.laid_out("pulls", "claims")
    baseline, told = baseline_summary(run), priced_one(run, found.reading(_summarised))
    return readings.brief(found, run, baseline, told, proofs(found)), told, baseline


def keep(run_id: int) -> None:
    """Make what the Team view, the summary and the pages of one claim, pull or worker tell of a settled run, and keep it: then nobody waits for it."""
    found = opened(run_id)
    readings.team(found)
    over_time(found)
    found.reading(_line)
    links.go_over(found)


def _summarised(found: Newest) -> Summary:
    return Summary(**{name: _frozen(value) for name, value in found.reading(_line).items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_line = kept("summary", lambda found: asdict(summarise(found.tables)))

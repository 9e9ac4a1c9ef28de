"""The run on one page, with what its figures are set against: the same sentences for the page, the API, the command and the export."""

from __future__ import annotations

from runs.models import Run
from trajectories import readings
from trajectories.baselines import baseline_summary
from trajectories.happened import proofs
from trajectories.newest import Newest
from trajectories.pricing import priced_one
from trajectories.readings.sentences import Told
from trajectories.summary import Summary, summarise


def briefed(run: Run, found: Newest) -> tuple[list[Told], Summary, Summary | None]:
    """The sections of sentences, the run's summary and that of its baseline, None where there is none."""
    found = found.laid_out("pulls", "claims")
    baseline, told = baseline_summary(run), priced_one(run, found.reading(_summarised))
    return readings.brief(found, run, baseline, told, proofs(found)), told, baseline


def _summarised(found: Newest) -> Summary:
    return summarise(found.tables)

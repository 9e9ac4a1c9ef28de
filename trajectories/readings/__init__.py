"""What a run's State says about its team, as plain data: pages, API and command show the same. Pure; decides no meaning.

Every reading takes a `Newest` and answers JSON values: times as seconds since run.started, shares as parts per million,
None for unknown. Rows carry the keys or the evidence references that lead to the events behind them.
"""

from __future__ import annotations

from trajectories.readings.behaviours import behaviours
from trajectories.readings.brief import brief
from trajectories.readings.claims import claim_line, claims
from trajectories.readings.pulls import pull_line, pulls
from trajectories.readings.team import pair, team
from trajectories.readings.tools import name_of, worker

__all__ = ["behaviours", "brief", "claim_line", "claims", "name_of", "pair", "pull_line", "pulls", "team", "worker"]

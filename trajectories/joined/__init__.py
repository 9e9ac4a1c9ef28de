"""Everything that belongs to one claim, pull or worker, joined in one reading order. Reads State and events; decides nothing."""

from __future__ import annotations

from trajectories.joined.gather import Story, claim_story, event_story, pull_story, worker_story
from trajectories.joined.moments import Moment

__all__ = ["Moment", "Story", "claim_story", "event_story", "pull_story", "worker_story"]

"""Everything that belongs to one claim, pull or worker, joined in one reading order. Reads State and events; decides nothing."""

from __future__ import annotations

from trajectories.joined.family import Family, of_claim, of_pull
from trajectories.joined.finding import Story
from trajectories.joined.gather import claim_story, event_story, proof_story, pull_story, worker_story
from trajectories.joined.moments import Moment

__all__ = [
    "Family",
    "Moment",
    "Story",
    "claim_story",
    "event_story",
    "of_claim",
    "of_pull",
    "proof_story",
    "pull_story",
    "worker_story",
]

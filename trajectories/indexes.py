"""What is kept beside a run's events so that pages answer at once: the search index and how far the inboxes have come."""

from __future__ import annotations

import logging
import time

from django.db import OperationalError

from trajectories import search
from trajectories.models import Reach
from trajectories.transcripts import reach

logger = logging.getLogger(__name__)
INBOXES_S = 1.0
SEARCH_S = 15.0  # what is not in the index yet is searched in the events themselves


class Follower:
    """Follows a live run. `turn(n)` may be called as often as one likes."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self.n = -1
        self.inboxes_at = self.searched_at = 0.0

    def turn(self, n: int) -> None:
        """Take what came since the last time, if it is time; `n` = the run's newest event."""
        now = time.monotonic()
        if n == self.n or now - self.inboxes_at < INBOXES_S:
            return
        self.inboxes_at = now
        try:
            reach.follow(self.run_id)
            if now - self.searched_at >= SEARCH_S:
                search.catch_up(self.run_id)
                self.searched_at = now
            self.n = n
        except (
            OperationalError
        ) as problem:  # SQLite under much writing: nothing is lost, pages read the events themselves
            logger.warning("run %s: its indexes wait: %s", self.run_id, problem)


def finish(run_id: int) -> None:
    """All that there is, after the end."""
    reach.follow(run_id)
    search.catch_up(run_id, seal=True)


def again(run_id: int) -> None:
    """Forget and make anew."""
    Reach.objects.filter(run_id=run_id).delete()
    reach.follow(run_id)
    search.rebuild(run_id)

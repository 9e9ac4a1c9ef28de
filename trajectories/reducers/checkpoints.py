"""Checkpoints: how much of the hidden tests the program passed, and what the team had spent by then."""

from __future__ import annotations

from trajectories.reducers.fields import number, text, words
from trajectories.reducers.topic import Seen, Topic


class Checkpoints(Topic):
    """One row a score. Tokens and cost are the team's sums up to that moment; late tallies correct them."""

    table = "checkpoints"

    def prepare(self) -> None:
        self.at = self.state.index("checkpoints.at")  # checkpoint -> at; read by the tallies

    def on_checkpoint_scored(self, seen: Seen) -> None:
        """A score, or why there is none."""
        fields = seen.fields
        checkpoint = number(fields, "checkpoint")
        if checkpoint is None:
            return
        passed, total = number(fields, "passed"), number(fields, "total")
        rate = passed * 1_000_000 // total if passed is not None and total and 0 <= passed <= total else None
        self.state.assign(self.at, checkpoint, seen.at)
        self.put(
            checkpoint,
            at_s=number(fields, "at_s"),
            commit=words(fields, "commit"),
            passed=passed,
            total=total,
            not_run=number(fields, "not_run"),
            rate_ppm=rate,
            error_code=text(fields, "error_code") or None,
            evaluator=words(fields, "evaluator"),
        )
        self.team.tallies.score(checkpoint, seen.at)

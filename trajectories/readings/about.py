"""What a brief says of the run itself: how it was set up, what came out of it, and how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runs import figures as words
from runs.models import Run
from trajectories.newest import Newest
from trajectories.readings.sentences import Statement, joined, many, took
from trajectories.readings.tools import length
from trajectories.summary import Summary

Seen = Mapping[str, Mapping[str, Any]]  # what `happened.proofs` tells: evidence by what happened


def setting(newest: Newest, run: Run, summary: Summary, seen: Seen) -> Iterator[Statement]:
    """Who worked on what, and how it ended."""
    workers = summary.workers or run.spec.get("workers") or 0
    alone = run.spec.get("peers") is False
    who = "One agent, alone," if alone else f"{many(workers, 'coding agent')}, all alike and without a leader,"
    task = f" on the task “{run.task}”" if run.task else ""
    yield Statement(
        f"{who} worked{task}. Their harness and model: {words.harness_words(run.spec)}.",
        link="",
        row=seen.get("started"),
    )
    if newest.t0 is None:
        yield Statement("The run never started: nothing was recorded.", link="launch")
        return
    end = {"ended": "It ended as planned", "cancelled": "A person cancelled it", "failed": "It failed"}.get(run.status)
    reason = f": {run.reason}" if run.reason else ""
    yield Statement(
        f"{end or 'It is still going'} after {took(_lasted(newest, run))}{reason}.",
        link="replay",
        row=seen.get("ended"),
    )


def _lasted(newest: Newest, run: Run) -> float:
    """Seconds from start to end, as the live page has them; of a run that goes on, to the last thing the State knows of."""
    if run.is_final and run.started_at is not None and run.ended_at is not None:
        return (run.ended_at - run.started_at).total_seconds()
    return length(newest)


def outcome(run: Run, summary: Summary, baseline: Summary | None, seen: Seen) -> Iterator[Statement]:
    """Scores, the baseline, what it cost."""
    scores = seen.get("scores")
    if summary.total is None:
        yield Statement("No checkpoint was scored, so how good the result is remains unknown.", link="", row=scores)
    else:
        rate = words.per_cent(summary.rate_ppm)
        yield Statement(
            f"The program they wrote passes {summary.passed:,} of {summary.total:,} hidden tests ({rate}).",
            link="",
            row=scores,
        )
        best = max(rate for _, rate in summary.scores)
        at = next(at for at, rate in summary.scores if rate * 2 >= best)
        yield Statement(
            f"Half of the best score was reached by {took(at)} into the run; it was scored {many(len(summary.scores), 'time')}.",
            link="replay",
            row=scores,
        )
        if best > (summary.rate_ppm or 0):
            yield Statement(f"It had once been better: {words.per_cent(best)}.", link="replay", row=scores)
    if baseline is not None and baseline.rate_ppm is not None and summary.rate_ppm is not None:
        over = words.points(summary.rate_ppm - baseline.rate_ppm)
        yield Statement(
            f"One agent alone with the same task, model and time reached {words.per_cent(baseline.rate_ppm)}: the team is {over} points apart.",
            link=f"/compare?runs={run.slug}",
            row=scores,
        )
    yield Statement(_cost(run, summary), link=f"/api/v1/runs/{run.slug}/events?kind=request.metered,usage.reported")


def _cost(run: Run, summary: Summary) -> str:
    tokens = f"{words.short_number(summary.input_tokens)} tokens were read and {words.short_number(summary.output_tokens)} written"
    if summary.cost_microusd is None:
        why = "the scripted model costs nothing" if run.scripted else "no source told prices"
        return f"{tokens}; what it cost is {'$0.00' if run.scripted else 'unknown'}: {why}."
    if not summary.cost_microusd and run.scripted:
        return f"It cost nothing, since a scripted model has no price; {tokens}."
    each = f", {words.money(summary.cost_microusd // summary.passed)} for each passed test" if summary.passed else ""
    how = " at list price" if summary.priced else ""
    return f"It cost {words.money(summary.cost_microusd)}{how}{each}; {tokens}."


def caveats(newest: Newest, run: Run, seen: Seen) -> Iterator[Statement]:
    """What must be known before the figures are believed."""
    started = seen.get("started")
    if run.origin == "simulated":
        yield Statement(
            "This run is simulated: no agent worked and no program was written. Its figures are invented to exercise this tool.",
            link="export",
            row=started,
        )
    if run.scripted:
        yield Statement(
            "The agents ran on a scripted model that knows the task’s solutions. It shows how a team works together, not how clever a model is.",
            row=started,
            link="launch",
        )
    if tags := [tag for tag in words.origin_tags(run) if tag.startswith(("stand-ins", "not isolated"))]:
        yield Statement(f"Also true of it: {joined(tags)}.", link="launch", row=started)
    if not run.is_final:
        yield Statement("The run is not over; these figures will move.", link="")
    if newest.settled:
        yield Statement(
            "Every figure was worked out from recorded events, once while the run went on and once more after its end.",
            link="replay",
        )
    yield Statement(
        "Words like claim, withdrawn or integrator are decided by fixed rules from what was recorded, never from what an agent says of itself.",
        link="/decided",
    )

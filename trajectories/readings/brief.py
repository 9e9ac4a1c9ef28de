"""A run on one page, in plain words and numbers: sections of statements, each with its evidence or the view that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from runs import figures as words
from runs.models import Run
from trajectories.newest import Newest
from trajectories.readings import about
from trajectories.readings.about import Seen
from trajectories.readings.behaviours import behaviours
from trajectories.readings.claims import counted
from trajectories.readings.merges import fates
from trajectories.readings.sentences import Statement, Told, joined, many, took, were
from trajectories.readings.team import team
from trajectories.summary import Summary, summarise

NOTHING: Mapping[str, Any] = MappingProxyType({})
WORDS = {
    "never landed": "open to the end",
    "closed": "closed without a merge",
    "superseded": "overtaken by another",
    "conflict": "in conflict with the base",
}


def brief(
    newest: Newest, run: Run, baseline: Summary | None = None, summary: Summary | None = None, seen: Seen = NOTHING
) -> list[Told]:
    """`[{"title", "statements": [{"text", "refs", "refs_count", "link"}]}]`; `link` is an address under the run's own."""
    summary = summary or summarise(newest.tables)
    sections = [
        ("What was run", about.setting(newest, run, summary, seen)),
        ("What came out of it", about.outcome(run, summary, baseline, seen)),
        ("How the work was shared out", _work(newest)),
        ("How it was checked and put together", _checking(newest)),
        ("What went wrong, and what became of it", _damage(newest, summary, seen)),
        ("What the team did of itself", _seen(newest)),
        ("How to read this", about.caveats(newest, run, seen)),
    ]
    return [{"title": title, "statements": [each.told() for each in found]} for title, found in sections]


def _work(newest: Newest) -> Iterator[Statement]:
    told = counted(newest)
    counts = told["statuses"]
    if not told["count"]:
        yield Statement("Nobody claimed anything.", link="claims")
        return
    landed = counts.get("landed", 0)
    rest = joined(f"{n:,} {name}" for name, n in counts.items() if name != "landed")
    text = f"The agents announced {many(told['count'], 'sub-task')} (claims); {landed:,} of them ended in merged work"
    yield Statement(f"{text}{f', the others are {rest}' if rest else ''}.", link="claims")
    if told["median_landed_s"] is not None:
        yield Statement(
            f"From claim to merge took {took(told['median_landed_s'])} in the middle case.", link="claims?status=landed"
        )
    overlaps = team(newest)["overlaps"]
    if overlaps["count"]:
        settled = _of(overlaps["settled"], overlaps["count"], "settled between them")
        middle = f", in the middle case within {took(overlaps['median_s'])}" if overlaps["median_s"] is not None else ""
        words_ = f", {overlaps['by_message']:,} by a direct message" if overlaps["by_message"] else ""
        yield Statement(
            f"{many(overlaps['count'], 'time').capitalize()} two agents claimed the same sub-task: {settled}{middle}{words_}.",
            link="team#collisions",
        )
    else:
        yield Statement("No two agents ever claimed the same.", link="claims")


def _checking(newest: Newest) -> Iterator[Statement]:
    told = team(newest)
    known = told["figures"]
    if not known["pulls"]:
        yield Statement("Nobody opened a pull request.", link="pulls")
        return
    yield Statement(
        f"{many(known['pulls'], 'pull request')} {were(known['pulls'])} opened and {known['merges']:,} merged; peers wrote {many(known['reviews'], 'review')}.",
        link="team#fates",
    )
    if known["approvals"]:
        mended = (
            f"; {known['withdrawn_then_merged']:,} of these pulls {were(known['withdrawn_then_merged'])} merged later"
            if known["approvals_withdrawn"]
            else ""
        )
        first = known["withdrawn"][0] if known["withdrawn"] else None
        yield Statement(
            f"Of {many(known['approvals'], 'approval')}, {known['approvals_withdrawn']:,} {were(known['approvals_withdrawn'])} taken back before the merge{mended}.",
            link="pulls?fate=withdrawn",
            row=first,
        )
        if first and first["counterexample"]:
            yield Statement(
                f"An example: {first['name']} took its approval of #{first['pull']} back with “{first['counterexample'][:160]}”.",
                row=first,
            )
    if known["merges"]:
        yield Statement(
            f"{known['merged_by_peer']:,} of {many(known['merges'], 'merge')} {were(known['merged_by_peer'])} made by somebody other than the author ({words.per_cent(known['merged_by_peer_ppm'])}).",
            link="team#integrators",
        )
    for role in ("integrator", "reviewer"):
        if found := told["roles"].get(role):
            first = found["first"]
            yield Statement(
                f"{many(found['workers'], 'agent')} became {role}, nobody having been told to; the first was {first['name']} at {words.clock(first['since_s'])}.",
                link="team#roles",
                row=first,
            )


def _of(part: int, whole: int, done: str) -> str:
    """`it was settled`, `none was settled`, `all were settled`, `3 of them were settled`."""
    if whole == 1:
        return f"it was {'' if part else 'not '}{done}"
    if not part:
        return f"none was {done}"
    return f"all were {done}" if part == whole else f"{part:,} of them {were(part)} {done}"


def _damage(newest: Newest, summary: Summary, seen: Seen) -> Iterator[Statement]:
    told = team(newest)
    if summary.lost:
        few = f": {joined(summary.lost)}" if len(summary.lost) <= 6 else f", of {summary.workers:,}"
        yield Statement(
            f"{many(len(summary.lost), 'agent')} died or fell silent for good{few}.", link="", row=seen.get("losses")
        )
    else:
        yield Statement("No agent was lost.", link="")
    chains = told["recoveries"]
    if chains["lost"]:
        middle = (
            f", in the middle case {took(chains['median_s'])} after the loss" if chains["median_s"] is not None else ""
        )
        yield Statement(
            f"{many(chains['lost'], 'sub-task')} {were(chains['lost'])} lost (failed, run out of time or left behind); {_of(chains['landed'], chains['lost'], 'finished by a peer')}{middle}.",
            link="team#recoveries",
        )
        left = [chain for chain in chains["chains"] if chain["status"] == "open"]
        alone = chains["lost"] - chains["taken_over"] - chains["landed"]
        if left:
            yield Statement(
                f"Nobody took over {'it' if chains['lost'] == 1 else f'{alone:,} of them'}; the first was claim n{left[0]['claim']}.",
                link="team#recoveries",
                row=left[0],
            )
    else:
        yield Statement("No sub-task had to be recovered.", link="team#recoveries")
    opened = fates(newest)["fates"]
    counts = {
        fate: sum(opened[fate]) for fate in ("never landed", "closed", "superseded", "conflict") if fate in opened
    }
    if counts:
        how = joined(f"{count:,} {WORDS[fate]}" for fate, count in counts.items())
        yield Statement(f"{many(sum(counts.values()), 'pull request')} did not land: {how}.", link="pulls")
    wasted = told["waste"]
    if wasted["count"]:
        kinds = [f"{kind['count']:,} {kind['words']}" for kind in wasted["kinds"] if kind["kind"] != "never_landed"]
        if kinds:
            yield Statement(f"Effort that came to nothing, besides: {joined(kinds)}.", link="team#waste")


def _seen(newest: Newest) -> Iterator[Statement]:
    told = behaviours(newest)
    seen = [row for row in told["rows"] if row["count"]]
    named = joined(f"{row['title'].lower()} ({_times(row)})" for row in seen)
    text = f"Of {len(told['rows'])} behaviours that are looked for, {len(seen)} {were(len(seen))} seen{f': {named}' if seen else ''}"
    yield Statement(f"{text}; no agent was given any of them as its part.", link="behaviours")
    early = [row for row in seen if row["paper_workers"] > told["workers"]]
    if early:
        named = joined(f"{row['title'].lower()} ({row['paper_workers']:,})" for row in early)
        yield Statement(f"The paper reports these from larger teams only: {named}.", link="behaviours", row=early[0])


def _times(row: Told) -> str:
    """How often; of what workers became again and again, by how many of them."""
    return f"{row['count']:,}" if row["workers"] is None else f"{row['count']:,} times, {row['workers']:,} agents"


__all__ = ["brief"]

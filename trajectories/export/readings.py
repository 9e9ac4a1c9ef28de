"""What the pages say of a team, as rows: the sentences of Summary, the ledgers, and each part of Team and Behaviours.

Every row is one that the API answers too, with the references of its events. Filters narrow them as they narrow the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from runs.models import Run
from trajectories import readings
from trajectories.briefing import briefed
from trajectories.export.filters import Filters
from trajectories.export.words import holding
from trajectories.newest import Newest
from trajectories.readings.chains import recoveries
from trajectories.readings.collisions import collisions, overlaps, waste
from trajectories.readings.merges import fates, integrator_share
from trajectories.readings.team import figures, handovers, roles
from trajectories.readings.tools import evidence, name_of, seconds
from trajectories.readings.trust import pairs

Row = Mapping[str, Any]
Reading = Callable[[Run, Newest, Filters], Iterable[Row]]
WORKERS = ("worker", "author", "reviewer", "merged_by", "answered_by", "landed_by")
TIMES = ("at_s", "opened_at_s", "since_s", "lost_at_s", "first_seen_s", "landed_at_s")


def _sentences(run: Run, found: Newest, _: Filters) -> Iterator[Row]:
    for section in briefed(run, found)[0]:
        for each in section["statements"]:
            yield {"section": section["title"], **each}


def _claims(_: Run, found: Newest, filters: Filters) -> Iterator[Row]:
    told = readings.claims(
        found, status=filters.status, worker=filters.worker, words=filters.words, sort=filters.sort or "opened"
    )
    return (readings.claim_line(found, row) for row in told["lines"])


def _pulls(_: Run, found: Newest, filters: Filters) -> Iterator[Row]:
    told = readings.pulls(
        found, fate=filters.fate, worker=filters.worker, words=filters.words, sort=filters.sort or "opened"
    )
    return (readings.pull_line(found, row) for row in told["lines"])


def _trust(_: Run, found: Newest, __: Filters) -> Iterator[Row]:
    for (author, reviewer), pair in sorted(pairs(found).items(), key=lambda item: str(item[0])):
        row = found.tables["trust"].get(f"{author}>{reviewer}")
        yield {
            "author": author,
            "author_name": name_of(found, author),
            "reviewer": reviewer,
            "reviewer_name": name_of(found, reviewer),
            **{name: getattr(pair, name) for name in ("reviews", "stood", "withdrawn", "asked")},
            "trusted_since_s": seconds(found, pair.since),
            **(evidence("trust", row) if row else {"proof": None, "refs": [], "refs_count": 0}),
        }


def _integrators(_: Run, found: Newest, __: Filters) -> Iterator[Row]:
    told = integrator_share(found)
    for k, at in enumerate(told["at_s"]):
        for each in told["series"]:
            row = {"at_s": at, "step_s": told["step_s"], "name": each["name"], "worker": each["worker"]}
            yield row | {"merges": each["merges"][k], "of": told["merges"][k]}


def _fates(_: Run, found: Newest, __: Filters) -> Iterator[Row]:
    told = fates(found)
    for k, at in enumerate(told["at_s"]):
        for fate, counts in told["fates"].items():
            yield {"at_s": at, "step_s": told["step_s"], "fate": fate, "pulls": counts[k]}


def _collisions(_: Run, found: Newest, __: Filters) -> Iterator[Row]:
    told = collisions(found)
    for k, at in enumerate(told["at_s"]):
        counts = {name: told[name][k] for name in ("overlaps", "conflicts")}
        yield {"by": "time", "at_s": at, "step_s": told["step_s"], "place": None, **counts}
    for each in told["places"]:
        yield {"by": "place", "at_s": None, "step_s": None, **each}


def _roles(_: Run, found: Newest, __: Filters) -> Iterator[Row]:
    for role, about in roles(found, None).items():
        yield from ({"role": role, **span} for span in about["listed"])


READINGS: dict[str, Reading] = {
    "summary": _sentences,
    "ledger.claims": _claims,
    "ledger.pulls": _pulls,
    "behaviours.seen": lambda _, found, __: readings.behaviours(found)["rows"],
    "team.trust": _trust,
    "team.integrators": _integrators,
    "team.fates": _fates,
    "team.roles": _roles,
    "team.recoveries": lambda _, found, __: recoveries(found)["chains"],
    "team.overlaps": lambda _, found, __: overlaps(found, None)["pairs"],
    "team.collisions": _collisions,
    "team.waste": lambda _, found, __: waste(found, None)["rows"],
    "team.handovers": lambda _, found, __: handovers(found, None)["listed"],
    "team.withdrawn": lambda _, found, __: figures(found, None)["withdrawn"],
}


def rows_of(run: Run, found: Newest, name: str, filters: Filters) -> list[Row]:
    """The rows of a reading that pass, in the reading's own order."""
    holds = holding("" if name.startswith("ledger.") else filters.words)  # the ledgers look for words themselves
    passing = (row for row in READINGS[name](run, found, filters) if _within(row, filters) and holds(row))
    return [row for row in passing if _is_of(row, filters.worker)]


def _is_of(row: Row, worker: int | None) -> bool:
    """Rows that name nobody pass: they are of the team. A chain names whoever is in it, an overlap both."""
    if worker is None:
        return True
    named = [row[column] for column in WORKERS if column in row]
    named += [link["worker"] for link in row.get("links", ())] + list(
        row.get("workers") or () if "claims" in row else ()
    )
    return worker in named or all(each is None for each in named)


def _within(row: Row, filters: Filters) -> bool:
    """By the time the row begins; a row without any time passes."""
    at = next((row[name] for name in TIMES if row.get(name) is not None), None)
    low = -1e18 if filters.since is None else filters.since
    return at is None or low <= at <= (1e18 if filters.until is None else filters.until)

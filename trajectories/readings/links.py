"""Which rows of the State name a worker, a pull or a claim: the columns that do are gone over once, and kept of a settled run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from trajectories.newest import Newest, Row
from trajectories.readings.kept import kept

COLUMNS = {
    "claims": ("worker",),
    "pulls": ("author", "merged_by", "claim"),
    "reviews": ("reviewer", "pull"),
    "recoveries": ("from_claim", "to_claim", "from_worker", "to_worker"),
    "roles": ("worker",),
    "trust": ("reviewer",),
    "waste": ("worker",),
    "attention": ("worker",),
}
_PULL = re.compile(r"(?:#|!|\b(?:pull|pr)\s*#?)(\d+)\b", re.IGNORECASE)  # `#7`, `pull 7`, `PR 7`, `!7`


def holding(newest: Newest, table: str, values: Iterable[Any], *columns: str) -> list[Row]:
    """The rows of a table that hold one of the values in one of the columns, each once, in order of the table."""
    wanted = {value for value in values if value is not None}
    of_table = newest.reading(_READINGS[table])
    places = {place for name in columns for place, held in enumerate(of_table[name]) if held in wanted}
    rows = newest.tables[table]
    keys = list(rows) if places else []
    return [rows[keys[place]] for place in sorted(places)]


def failures_naming(newest: Newest, pulls: Iterable[int], delegations: Iterable[str]) -> list[Row]:
    """FAIL notes that name one of the pulls, or carry one of the delegation ids (folded), in order of the table."""
    by_pull, by_delegation = newest.reading(_failures)
    keys = {key for number in pulls for key in by_pull.get(str(number), ())}
    keys |= {key for name in delegations for key in by_delegation.get(name, ())}
    return [newest.tables["notes"][key] for key in sorted(keys)]


def go_over(newest: Newest) -> None:
    """All of it at once: whoever asks later finds it kept."""
    for reading in (*_READINGS.values(), _failures):
        newest.reading(reading)


def folded(text: Any) -> str | None:
    """A delegation id as it is compared; None for none."""
    return str(text).strip().casefold() if text else None


def _gone_over(table: str, newest: Newest) -> dict[str, list[Any]]:
    """What each of the table's columns holds, row by row."""
    rows = newest.laid_out(table).tables[table].values()
    return {name: [row[name] for row in rows] for name in COLUMNS[table]}


_READINGS: dict[str, Callable[[Newest], dict[str, list[Any]]]] = {
    table: kept(table, partial(_gone_over, table)) for table in COLUMNS
}


def _gone_over_notes(newest: Newest) -> tuple[Mapping[str, list[Any]], Mapping[str, list[Any]]]:
    """Pull number as written -> keys of the FAIL notes that name it; folded delegation id -> keys likewise."""
    by_pull: dict[str, list[Any]] = defaultdict(list)
    by_delegation: dict[str, list[Any]] = defaultdict(list)
    for key, row in newest.laid_out("notes").tables["notes"].items():
        if row["type"] == "FAIL":
            for number in set(_PULL.findall(f"{row['text']} {row['detail'] or ''}")):
                by_pull[number].append(key)
            if (name := folded(row["delegation_id"])) is not None:
                by_delegation[name].append(key)
    return dict(by_pull), dict(by_delegation)


_failures = kept("failures", _gone_over_notes)

"""The table of what each CLI honours says what the commands say: bold in a cell is a promise that is not kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from runs.harnesses import HARNESSES, dialect, harness
from runs.harnesses.dialect import Dialect
from tests.clis.tokens import CAUSES, COUNTS_SUMMARIES
from tests.runs.harnesses.test_commands import WORKER

README = (Path(__file__).resolve().parents[3] / "runs" / "harnesses" / "README.md").read_text()


def table(first: str) -> dict[str, dict[str, str]]:
    """Rows of the README's table below a heading, by the words of their first cell; cells by the name of their column."""
    lines = [line for line in README.split(first, 1)[1].split("\n## ")[0].splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: {name.strip("`"): cell for name, cell in zip(head[1:], row[1:], strict=True)} for row in rows}


def row(words: str) -> dict[str, str]:
    (found,) = [cells for name, cells in table("## What each CLI honours").items() if words in name]
    return found


def told(name: str, **changed: str) -> str:
    """All that a harness is started with."""
    command = harness(name).command(replace(WORKER, harness=name, **changed))
    return json.dumps([command.argv, dict(command.env), command.session_mode])


def test_every_harness_has_its_column() -> None:
    assert list(row("endpoint")) == list(HARNESSES)


@pytest.mark.parametrize("name", HARNESSES)
@pytest.mark.parametrize(
    ("words", "value"),
    [("effort", "xhigh"), ("272,000 input", "272000"), ("128,000 output", "128000"), ("model", "gpt-5.6-sol")],
)
def test_what_a_cli_is_not_told_is_in_bold(name: str, words: str, value: str) -> None:
    cell = row(words)[name]
    assert (value in told(name)) or "**not sent**" in cell
    assert (value in told(name)) == ("**not sent**" not in cell)


@pytest.mark.parametrize("name", HARNESSES)
def test_a_cli_that_asks_nothing_is_started_alike_under_both_policies(name: str) -> None:
    same = told(name) == told(name, permissions="record")
    assert same == (row("permissions `record`")[name] == "**asks nothing**")


@pytest.mark.parametrize("name", HARNESSES)
def test_how_it_counts_is_how_it_is_read(name: str) -> None:
    usage, cached, cost, _ = list(by_harness(name))
    spoken: Dialect = dialect(name)
    assert ("session" in usage) == (spoken.usage_scope == "session")
    assert ("beside" in cached) == spoken.cached_apart
    assert ("own" in cost) == spoken.own_cost


def by_harness(name: str) -> list[str]:
    return list(table("## How their words differ")[f"`{name}`"].values())


def test_every_cause_of_a_difference_in_tokens_is_listed() -> None:
    listed = table("## Tokens beside the gateway's")
    assert {f"`{cause}`" for cause in CAUSES} <= set(listed)
    (summaries,) = [cells["difference"] for name, cells in listed.items() if name.startswith("compaction")]
    assert {name for name in HARNESSES if f"`{name}`" in summaries.split("the others")[0]} == COUNTS_SUMMARIES

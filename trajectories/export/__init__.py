"""A run taken away: rows as CSV, JSON lines or Parquet; the trajectory as a Perfetto trace; traces as OTLP. All of it in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from runs.models import Run
from trajectories.export.carried import carried
from trajectories.export.filters import BadFilter, Filters
from trajectories.export.otlp import as_otlp
from trajectories.export.perfetto import as_perfetto
from trajectories.export.readings import READINGS
from trajectories.export.rows import EVENTS, NAMES, NoSuchTable, sheet
from trajectories.export.tabular import TABULAR, NoParquet

FORMATS = (*TABULAR, "perfetto", "otlp")

__all__ = [
    "EVENTS",
    "FORMATS",
    "NAMES",
    "READINGS",
    "TABULAR",
    "BadFilter",
    "File",
    "Filters",
    "NoParquet",
    "NoSuchTable",
    "carried",
    "exported",
    "file_forms",
]


WORDS = {"csv": "CSV", "jsonl": "JSON lines", "parquet": "Parquet"}


def file_forms() -> list[tuple[str, str]]:
    """The forms of rows that can be written here, with their words; Parquet needs an extra."""
    return [(form, WORDS[form]) for form in TABULAR if form != "parquet" or find_spec("pyarrow")]


@dataclass(frozen=True, slots=True)
class File:
    """A file to be: its name, media type and pieces."""

    name: str
    media_type: str
    pieces: Iterator[bytes]


def exported(run: Run, form: str, table: str, filters: Filters) -> File:
    """A table, a reading (or `events`) in a format of rows, or the whole trajectory in one of traces. Raises KeyError and NoSuchTable."""
    if form == "perfetto":
        return File(f"{run.slug}.perfetto.json", "application/json", as_perfetto(run, filters))
    if form == "otlp":
        return File(f"{run.slug}.otlp.jsonl", "application/x-ndjson", as_otlp(run, filters))
    write, media_type = TABULAR[form]
    return File(f"{run.slug}.{table}.{form}", media_type, write(sheet(run, table, filters)))

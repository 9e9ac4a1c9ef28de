"""Moves of inbox items: written with the items in one transaction, told to the spool once, also over a crash between the two.

A move is a range: every item of the feed from `first` to `last`, in the order of the source (notes by number, messages by time and
id), made this step; nothing in between was left out. Notices of the repository have no order that others know: each is its own range.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

_TABLE = """CREATE TABLE IF NOT EXISTS moves (move INTEGER PRIMARY KEY, at TEXT, feed TEXT, state TEXT, first TEXT, last TEXT,
  count INTEGER, turn INTEGER, via TEXT)"""

Id = TypeVar("Id", int, str, int | str)


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a run of items. `move` is dense over all lives of the worker; `turn` is the turn of the life that made it."""

    move: int
    at: str
    feed: str
    state: str
    first: int | str
    last: int | str
    count: int
    turn: int
    via: str

    def fields(self) -> dict[str, Any]:
        """As the spool has it: the fields of `inbox.moved`."""
        return {
            "feed": self.feed,
            "state": self.state,
            "from": self.first,
            "upto": self.last,
            "count": self.count,
            "turn": self.turn,
            "via": self.via,
            "move": self.move,
        }


class Moves:
    """The moves of one worker. `write` inside the transaction, `tell` after it."""

    def __init__(self, db: sqlite3.Connection, tell: Callable[[Move], None]) -> None:
        self._db, self._tell = db, tell
        db.execute(_TABLE)

    def write(self, move: Move) -> Move:
        """Keep a move; with its number."""
        ends = (json.dumps(move.first), json.dumps(move.last))
        row = (None, move.at, move.feed, move.state, *ends, move.count, move.turn, move.via)
        cursor = self._db.execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return replace(move, move=int(cursor.lastrowid or 0))

    def tell(self, moves: Sequence[Move]) -> None:
        """Say what was committed."""
        for move in moves:
            self._tell(move)

    def tell_after(self, told: int) -> None:
        """Say what a dead life wrote and did not get to say. Its turns are not turns of this life: they are said as turn 0."""
        rows = self._db.execute("SELECT * FROM moves WHERE move > ? ORDER BY move", (told,)).fetchall()
        for number, at, feed, state, first, last, count, _, via in rows:
            self._tell(Move(number, at, feed, state, json.loads(first), json.loads(last), count, 0, via))


def runs_of(moved: Sequence[Id], there: Sequence[Id], *, alone: bool) -> Iterator[tuple[Id, Id, int]]:
    """First, last and number of each run of `moved` that has no other of `there` in between; `there` is in order. `alone`: runs of one."""
    wanted: set[Id] = set(moved)
    run: list[Id] = []
    for id in there:
        if id in wanted:
            run.append(id)
        if run and (alone or id not in wanted):
            yield run[0], run[-1], len(run)
            run = []
    if run:
        yield run[0], run[-1], len(run)


def last_told(folder: Path) -> int:
    """The number of the last move that reached a spool of `folder`, over all lives; a torn last line was never said."""
    newest = sorted(
        (path for path in folder.glob("*.jsonl") if path.stem.isdecimal()), key=lambda path: -int(path.stem)
    )
    for path in newest:
        with path.open("rb") as file:
            told = [line for line in file if b'"inbox.moved"' in line and line.endswith(b"\n")]
        found = [said["msg"]["move"] for said in map(json.loads, told) if said["dir"] == "loop"]
        if found:
            return int(max(found))
    return 0

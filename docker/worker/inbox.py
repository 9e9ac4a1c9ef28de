"""The inbox: what came for this worker, and how far each item got: stored, leased, shown, acknowledged. Durable, at least once.

`stored` = on disk here; `leased` = picked for a turn or a tool result; `shown` = handed to the agent; `acknowledged` = the turn in
which it was shown ended well. What a failed turn or a dead life had leased or shown is stored again, and shown again, marked as such.
Every step is written with the items in one transaction and told once (`moves.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worker.moves import Move, Moves, runs_of
from worker.records import Records
from worker.times import now_iso

DIRECT_FEEDS = ("direct", "board")  # these reach the agent in the middle of a turn
ALL_FEEDS = ("direct", "board", "channel", "repo")
OPEN = "state IN ('leased', 'shown')"

_TABLES = """
CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, feed TEXT, item TEXT, sender TEXT, text TEXT, at TEXT, state TEXT,
  times INTEGER NOT NULL DEFAULT 0, UNIQUE (feed, item));
CREATE INDEX IF NOT EXISTS items_open ON items (state) WHERE state <> 'acknowledged';
CREATE INDEX IF NOT EXISTS items_order ON items (feed, at);
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that came. `item` is its id at its source: a note id, a post id, a name of a notice. `again`: it was shown before."""

    feed: str
    item: str
    sender: str
    text: str
    at: str
    again: bool = False

    def shown(self) -> dict[str, Any]:
        """As the agent reads it."""
        found = {"feed": self.feed, "item": self.id, "from": self.sender, "text": self.text, "at": self.at}
        return found | ({"again": True} if self.again else {})

    @property
    def id(self) -> int | str:
        """Its id as its source writes it."""
        return int(self.item) if self.feed == "board" else self.item

    @property
    def place(self) -> tuple[Any, ...]:
        """Where it stands in its feed, in the order of its source."""
        return (int(self.item),) if self.feed == "board" else (self.at, self.item)


class Inbox:
    """`tell(move)` is called once for every step, a run of items of one feed at a time; `turn()` says in which turn we are."""

    def __init__(
        self, path: Path, tell: Callable[[Move], None], life: int = 1, turn: Callable[[], int] = lambda: 0
    ) -> None:
        self._records = Records(path, life, _TABLES)
        self._db = self._records.db
        self._moves = Moves(self._db, tell)
        self._turn = turn
        self.check, self.close = self._records.check, self._records.close
        self.arrived: Callable[[], None] = lambda: None

    def recover(self, told: int = 0) -> None:
        """At the start of a life: tell the moves after `told`, which a dead life wrote and could not tell; what nobody
        acknowledged waits again."""
        self._moves.tell_after(told)
        self.give_back("recap")

    def store(self, items: Sequence[Item], memory: dict[str, Any] | None = None) -> list[Item]:
        """Keep new items and the reader's place in one transaction; the items that were not known."""
        new = []
        with self._records.writing():
            for item in items:
                row = (item.feed, item.item, item.sender, item.text, item.at, "stored")
                sql = "INSERT OR IGNORE INTO items (feed, item, sender, text, at, state) VALUES (?, ?, ?, ?, ?, ?)"
                if self._db.execute(sql, row).rowcount:
                    new.append(item)
            for name, value in (memory or {}).items():
                self._records.put(name, value)
            told = self._write(new, "stored", "feed")
        self._moves.tell(told)
        if new:
            self.arrived()
        return new

    def recall(self, name: str, default: Any) -> Any:
        """What `store` or `remember` kept under a name."""
        found = self._records.get(name)
        return default if found is None else json.loads(found)

    def remember(self, name: str, value: Any) -> None:
        """Keep a reader's place."""
        with self._records.writing():
            self._records.put(name, value)

    def waiting(self, feeds: Iterable[str] = ALL_FEEDS) -> bool:
        """Whether anything of these feeds is stored and not yet picked."""
        return bool(self._select("state = 'stored'", feeds, 1))

    def lease(self, feeds: Iterable[str], via: str, most: int = 50) -> list[Item]:
        """Pick what waits, oldest first."""
        return self._move("state = 'stored'", via, "leased", feeds=feeds, most=most)

    def show(self, items: Sequence[Item], via: str) -> None:
        """The agent is given these now."""
        names = {(item.feed, item.item) for item in items}
        self._move("state = 'leased'", via, "shown", lambda item: (item.feed, item.item) in names)

    def seen(self, feeds: Iterable[str], known: Callable[[Item], bool], via: str) -> None:
        """The agent read these by itself: they need not be shown again."""
        self._move("state = 'stored'", via, "leased", known, feeds)
        self._move("state = 'leased'", via, "shown", known, feeds)

    def acknowledge(self) -> None:
        """The turn ended well: what was shown in it has arrived."""
        self._move("state = 'shown'", "turn", "acknowledged")

    def give_back(self, via: str) -> None:
        """The turn failed, or the life ended: whatever it had in hand waits again."""
        self._move(OPEN, via, "stored")

    def _select(self, where: str, feeds: Iterable[str] = ALL_FEEDS, most: int = 10_000) -> list[Item]:
        wanted = tuple(feeds)
        marks = ", ".join("?" * len(wanted))
        sql = f"SELECT feed, item, sender, text, at, times > 0 FROM items WHERE {where} AND feed IN ({marks}) ORDER BY seq LIMIT ?"  # noqa: S608
        return [replace(Item(*row[:5]), again=bool(row[5])) for row in self._db.execute(sql, (*wanted, most))]

    def _move(
        self,
        where: str,
        via: str,
        state: str,
        wanted: Callable[[Item], bool] = lambda item: True,
        feeds: Iterable[str] = ALL_FEEDS,
        most: int = 10_000,
    ) -> list[Item]:
        """Move the items that are `where`, in one transaction; the items moved."""
        with self._records.writing():
            items = [item for item in self._select(where, feeds, most) if wanted(item)]
            once_more = 1 if state == "shown" else 0
            for item in items:
                sql = "UPDATE items SET state = ?, times = times + ? WHERE feed = ? AND item = ?"
                self._db.execute(sql, (state, once_more, item.feed, item.item))
            told = self._write(items, state, via)
        self._moves.tell(told)
        return items

    def _write(self, items: Sequence[Item], state: str, via: str) -> list[Move]:
        """Write the moves of these items, a run at a time: a run has nothing of its feed in between that did not move with it."""
        written = []
        for feed in sorted({item.feed for item in items}):
            moved = [item for item in items if item.feed == feed]
            sql = "SELECT item, at FROM items WHERE feed = ? AND at BETWEEN ? AND ?"
            rows = self._db.execute(sql, (feed, min(item.at for item in moved), max(item.at for item in moved)))
            there = sorted((Item(feed, item, "", "", at) for item, at in rows), key=lambda item: item.place)
            ids = [item.id for item in moved], [item.id for item in there]
            for first, last, count in runs_of(*ids, alone=feed == "repo"):
                move = Move(0, now_iso(), feed, state, first, last, count, self._turn(), via)
                written.append(self._moves.write(move))
        return written

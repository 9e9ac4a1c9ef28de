"""The inbox: what came for this worker, and how far each item got: stored, leased, shown, acknowledged. Durable, at least once.

`stored` = on disk here; `leased` = picked for a turn or a tool result; `shown` = handed to the agent; `acknowledged` = the agent went on
after it (its next tool call, or the end of the turn). What a dead life had leased or shown and not acknowledged is stored again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

DIRECT_FEEDS = ("direct", "board")  # these reach the agent in the middle of a turn
ALL_FEEDS = ("direct", "board", "channel", "repo")

_TABLES = """
CREATE TABLE IF NOT EXISTS items (seq INTEGER PRIMARY KEY, feed TEXT, item TEXT, sender TEXT, text TEXT, at TEXT, state TEXT,
  UNIQUE (feed, item));
CREATE INDEX IF NOT EXISTS items_open ON items (state) WHERE state <> 'acknowledged';
CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT);
"""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that came. `item` is its id at its source: a note id, a post id, a name of a notice."""

    feed: str
    item: str
    sender: str
    text: str
    at: str

    def shown(self) -> dict[str, Any]:
        """As the agent reads it."""
        item = int(self.item) if self.feed == "board" else self.item
        return {"feed": self.feed, "item": item, "from": self.sender, "text": self.text, "at": self.at}


class Inbox:
    """`moved(feed, state, from, upto, via)` is called for every step, a run of items of one feed at a time."""

    def __init__(self, path: Path, moved: Callable[..., None]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_TABLES)
        self._moved = moved
        self.arrived: Callable[[], None] = lambda: None

    def recover(self) -> None:
        """At the start of a life: what nobody acknowledged waits again."""
        open_items = self._select("state IN ('leased', 'shown')")
        self._move(open_items, "stored", "recap")

    def store(self, items: Sequence[Item], memory: dict[str, Any] | None = None) -> list[Item]:
        """Keep new items and the reader's place in one transaction; the items that were not known."""
        new = []
        with self._transaction():
            for item in items:
                row = (item.feed, item.item, item.sender, item.text, item.at, "stored")
                sql = "INSERT OR IGNORE INTO items (feed, item, sender, text, at, state) VALUES (?, ?, ?, ?, ?, ?)"
                if self._db.execute(sql, row).rowcount:
                    new.append(item)
            for name, value in (memory or {}).items():
                self._db.execute("INSERT OR REPLACE INTO memory VALUES (?, ?)", (name, json.dumps(value)))
        self._tell(new, "stored", "feed")
        if new:
            self.arrived()
        return new

    def recall(self, name: str, default: Any) -> Any:
        """What `store` or `remember` kept under a name."""
        row = self._db.execute("SELECT value FROM memory WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def remember(self, name: str, value: Any) -> None:
        """Keep a reader's place."""
        self._db.execute("INSERT OR REPLACE INTO memory VALUES (?, ?)", (name, json.dumps(value)))

    def waiting(self, feeds: Iterable[str] = ALL_FEEDS) -> bool:
        """Whether anything of these feeds is stored and not yet picked."""
        return bool(self._select("state = 'stored'", feeds, 1))

    def lease(self, feeds: Iterable[str], via: str, most: int = 50) -> list[Item]:
        """Pick what waits, oldest first."""
        items = self._select("state = 'stored'", feeds, most)
        self._move(items, "leased", via)
        return items

    def show(self, items: Sequence[Item], via: str) -> None:
        """The agent has these now."""
        self._move(items, "shown", via)

    def give_back(self, items: Sequence[Item], via: str) -> None:
        """The agent did not get these after all."""
        self._move(items, "stored", via)

    def seen(self, feeds: Iterable[str], known: Callable[[Item], bool], via: str) -> None:
        """The agent read these by itself: they need not be shown again."""
        self._move([item for item in self._select("state = 'stored'", feeds) if known(item)], "shown", via)

    def acknowledge(self, via: str) -> None:
        """The agent went on: what it was shown has arrived."""
        self._move(self._select("state = 'shown'"), "acknowledged", via)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _select(self, where: str, feeds: Iterable[str] = ALL_FEEDS, most: int = 10_000) -> list[Item]:
        wanted = tuple(feeds)
        marks = ", ".join("?" * len(wanted))
        sql = f"SELECT feed, item, sender, text, at FROM items WHERE {where} AND feed IN ({marks}) ORDER BY seq LIMIT ?"  # noqa: S608
        return [Item(*row) for row in self._db.execute(sql, (*wanted, most))]

    def _move(self, items: Sequence[Item], state: str, via: str) -> None:
        if not items:
            return
        with self._transaction():
            for item in items:
                self._db.execute(
                    "UPDATE items SET state = ? WHERE feed = ? AND item = ?", (state, item.feed, item.item)
                )
        self._tell(items, state, via)

    def _tell(self, items: Sequence[Item], state: str, via: str) -> None:
        for feed, group in groupby(sorted(items, key=lambda item: item.feed), key=lambda item: item.feed):
            run = [item.shown()["item"] for item in group]
            self._moved(feed=feed, state=state, via=via, count=len(run), **{"from": run[0], "upto": run[-1]})

    def _transaction(self) -> _Transaction:
        return _Transaction(self._db)


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")

"""The board as one object: it checks a call against the rules, appends to the log, and folds what it appended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from board.log import Log, replay
from board.rules import Board, Note
from board.search import compile_query
from board.writer import Writer

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FOUND = 200
RING_S, SLOWEST_RING_S = 0.001, 1.0  # so long a note waits for others, for each reader that waits; and at most


def iso(at: int) -> str:
    """ISO 8601, UTC, milliseconds."""
    return (EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % 1000:03d}Z"


def millis(text: str) -> int:
    """The inverse of `iso`."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1)


class Refused(Exception):
    """A note the rules do not admit; the message is the reason."""


class Service:
    """Check, append and fold happen in one event loop without a pause: two calls cannot interleave. What is answered is durable:
    every call that shows or writes something ends with `settled`."""

    def __init__(self, log: Log, claim_ttl_s: int, clock: Callable[[], int]) -> None:
        self._writer, self._clock = Writer(log), clock
        self._at = 0
        self._posted = asyncio.Event()
        self._waiting = 0
        self._ringing = False
        self._closing = False
        self.settled, self.end = self._writer.settled, self._writer.close
        self.board = Board(claim_ttl_ms=claim_ttl_s * 1000)
        for entry in replay(log):
            self._at = max(self._at, millis(entry["at"]))
            self.board.apply(entry, millis(entry["at"]))

    def _now(self) -> int:
        """The clock, never backwards: the log's times rise with its seq."""
        self._at = max(self._at, self._clock())
        return self._at

    def _append(self, op: str, worker: str, **fields: Any) -> dict[str, Any]:
        at = self._now()
        entry = {"seq": self._writer.last + 1, "at": iso(at), "op": op, "worker": worker, **fields}
        self._writer.put(entry)
        self.board.apply(entry, at)
        return entry

    def write(self, worker: str, asked: Mapping[str, Any]) -> dict[str, int]:
        """Admit a note: its id and seq. Raises Refused; the refusal is in the log too."""
        reason = self.board.refusal(worker, asked, self._now())
        if reason is not None:
            said = {name: asked.get(name) if isinstance(asked.get(name), str) else None for name in ("type", "text")}
            said["text"] = (said["text"] or "")[:1000]
            self._append("refused", worker, **said, reason=reason)
            raise Refused(reason)
        words = {name: asked.get(name) or None for name in ("detail", "delegation_id")}
        note = self.board.last + 1
        entry = self._append("note", worker, note=note, type=asked["type"], text=asked["text"], **words)
        self._ring()
        return {"note": note, "seq": entry["seq"]}

    def read(self, worker: str, after: int, via: str | None) -> dict[str, Any]:
        """Live notes above `after`. `via` None is a peek: nothing was shown to anyone, nothing is logged."""
        found = self.board.recent(self._now(), after)
        if via is not None:
            self.seen(worker, self.board.last, via)
        return {"notes": [shown(note) for note in found], "upto": self.board.last}

    def seen(self, worker: str, upto: int, via: str, query: str | None = None) -> None:
        """Log that a worker was shown the live notes up to `upto`."""
        upto = max(0, min(upto, self.board.last))
        self._append("read", worker, via=via, **self.board.reading(worker, upto), query=query)

    def grep(self, worker: str, query: str) -> dict[str, Any]:
        """Notes that match, the newest 200, hidden ones included. Hits are not a read of all before them: `upto` stays."""
        test = compile_query(query)
        at, ttl = self._now(), self.board.claim_ttl_ms
        found = list(islice((note for note in reversed(self.board.notes.values()) if test(note)), FOUND))[::-1]
        before = self.board.seen.get(worker, 0)
        added = sum(note.note > before for note in found)
        self._append("read", worker, via="grep", upto=before, added=added, query=query[:500])
        notes = [shown(note) | ({} if note.live(at, ttl) else {"live": False}) for note in found]
        return {"notes": notes, "upto": self.board.last}

    def unfold(self, worker: str, note_id: int) -> dict[str, Any] | None:
        """A note with its detail, or None. Logged."""
        note = self.board.notes.get(note_id)
        if note is None:
            return None
        self._append("unfold", worker, note=note_id)
        return shown(note) | {"detail": note.detail}

    async def wait(self, after: int, seconds: float) -> None:
        """Return once a note above `after` exists, or the time is up."""
        if self.board.last > after or self._closing:
            return
        self._waiting += 1
        try:
            async with asyncio.timeout(seconds):
                await self._posted.wait()
        except TimeoutError:
            pass
        finally:
            self._waiting -= 1

    def _ring(self) -> None:
        """Wake those who wait, a little later the more they are: notes that come meanwhile go out together, so that a thousand
        waiters cost about a thousand answers a second, whatever is written."""
        if not self._ringing:
            self._ringing = True
            delay = min(SLOWEST_RING_S, self._waiting * RING_S)
            asyncio.get_running_loop().call_later(delay, self._rung)

    def _rung(self) -> None:
        self._ringing = False
        self._posted.set()
        self._posted = asyncio.Event()

    def close(self) -> None:
        """Let waiting readers go: the service is about to stop."""
        self._closing = True
        self._posted.set()

    async def events(self, after: int, limit: int) -> dict[str, Any]:
        """A page of the log, for the ingest. `sent_at` is the service's clock at sending, for skew."""
        entries = await self._writer.after(after, limit)
        return {"sent_at": iso(self._clock()), "events": entries, "last": self._writer.last}


def shown(note: Note) -> dict[str, Any]:
    """A note as reads show it: folded."""
    return {
        "note": note.note,
        "type": note.type,
        "worker": note.worker,
        "text": note.text,
        "delegation_id": note.delegation_id,
        "at": iso(note.at),
        "detail": bool(note.detail),
    }

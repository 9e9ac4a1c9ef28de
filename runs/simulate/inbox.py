"""What came for a worker and how far it got: stored, leased, shown, acknowledged, as its turn loop would report it."""

from __future__ import annotations

from runs.simulate.acp import Tap


class Inbox:
    """Direct messages one by one, board notes as runs; a failed or ended life leaves what was not acknowledged behind."""

    def __init__(self, tap: Tap) -> None:
        self.tap = tap
        self.moves = 0
        self.stored: list[tuple[str, str]] = []
        self.shown: list[tuple[str, str, str, int]] = []

    def store(self, at: int, feed: str, item: str) -> None:
        """Something came."""
        self.stored.append((feed, item))
        self._move(at, feed, "stored", item, item, 1, "feed")

    def notes(self, at: int, after: int, upto: int) -> None:
        """Board notes after one and up to another are handed over with a prompt."""
        if upto > after:
            for state, via in (("stored", "feed"), ("leased", "turn"), ("shown", "turn")):
                self._move(at, "board", state, after + 1, upto, upto - after, via)
            self.shown.append(("board", str(after + 1), str(upto), upto - after))

    def show(self, at: int, via: str) -> None:
        """What waits is put before the agent's eyes: with a prompt (`turn`) or a tool's result (`tool`)."""
        for feed, item in self.stored:
            self._move(at, feed, "leased", item, item, 1, via)
            self._move(at, feed, "shown", item, item, 1, via)
            self.shown.append((feed, item, item, 1))
        self.stored = []

    def acknowledge(self, at: int) -> None:
        """The turn ended well."""
        for feed, first, last, count in self.shown:
            whole = feed == "board"
            begin, end = (int(first), int(last)) if whole else (first, last)
            self._move(at, feed, "acknowledged", begin, end, count, "turn")
        self.shown = []

    def _move(self, at: int, feed: str, state: str, first: str | int, last: str | int, count: int, via: str) -> None:
        self.moves += 1
        facts = {
            "feed": feed,
            "state": state,
            "from": first,
            "upto": last,
            "count": count,
            "via": via,
            "move": self.moves,
        }
        self.tap.note(at, "inbox.moved", turn=self.tap.turn, **facts)

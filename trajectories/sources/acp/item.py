"""One item of a batch as the normalisers see it."""

from __future__ import annotations

from typing import Any

from trajectories.events import millis

Said = tuple[str, dict[str, Any]]
_MOST = 2**53


class Item:
    """An ACP message, a line of the loop or noise, with whose it is and where in its life it stands.

    One object reads the items of a batch one after the other: a run has millions of them.
    """

    __slots__ = ("at", "dir", "harness", "head", "life", "msg", "n", "session", "skew_ms", "turn", "worker")

    def __init__(self, worker: int, life: int, harness: str, skew_ms: int = 0) -> None:
        self.worker, self.life, self.harness, self.skew_ms = worker, life, harness, skew_ms
        self.head = f"{worker}-{life}-"
        self.n = self.at = self.session = self.turn = 0
        self.dir: Any = None
        self.msg: Any = None

    def read(self, raw: object) -> bool:
        """Become this item. False, and nothing may be asked of it, if it has no number or no time."""
        if type(raw) is not dict:
            return False
        get = raw.get
        n, at, session, turn = get("n"), get("at"), get("session"), get("turn")
        if type(n) is not int or not 0 < n < _MOST:
            return False
        try:
            self.at = millis(at if type(at) is str else str(at)) + self.skew_ms
        except (ValueError, OverflowError):
            return False
        self.n, self.dir, self.msg = n, get("dir"), get("msg")
        self.session = session if type(session) is int and 0 < session < _MOST else 0
        self.turn = turn if type(turn) is int and 0 < turn < _MOST else 0
        return True

    def step(self, call: object) -> str:
        """The id of a step: unique in the run, since call ids are unique in a session only."""
        return f"{self.head}{self.session}-{call if type(call) is str and len(call) <= 200 else str(call)[:200]}"


def count(value: object) -> int:
    """A positive whole number, or 0 for anything else."""
    return value if type(value) is int and 0 < value < _MOST else 0

"""One item of a batch as the normalisers see it."""

from __future__ import annotations

from typing import Any, NamedTuple

Said = tuple[str, dict[str, Any]]
_MOST = 2**53


class Item(NamedTuple):
    """An ACP message, a line of the loop or noise, with whose it is and where in its life it stands."""

    n: int
    at: int
    dir: str
    msg: Any
    worker: int
    life: int
    session: int
    turn: int
    harness: str

    def step(self, call: object) -> str:
        """The id of a step: unique in the run, since call ids are unique in a session only."""
        return f"{self.worker}-{self.life}-{self.session}-{str(call)[:200]}"


def count(value: object) -> int:
    """A positive whole number, or 0 for anything else."""
    return value if type(value) is int and 0 < value < _MOST else 0

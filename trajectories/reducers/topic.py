"""The shape of a reducer: what it hears and what it owns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from trajectories.reducers.fields import Fields
from trajectories.reducers.people import Who
from trajectories.reducers.tables import Key, Row

if TYPE_CHECKING:
    from trajectories.reducers.team import Team


class Seen(NamedTuple):
    """An event as a reducer meets it: the actor resolved, the envelope flat."""

    kind: str
    source: str
    at: int
    said: int
    ref: str
    who: Who
    fields: Fields

    @property
    def worker(self) -> int | None:
        """The acting worker, None for an outsider."""
        return self.who if type(self.who) is int else None


class Topic:
    """One reducer: owns one table and says what events mean for it.

    `on_pull_merged(seen)` hears the event `pull.merged`. `heard_claim_lost(...)` hears what another topic tells
    through `tell("claim_lost", ...)`. `woken(key)` runs when a timer set under this topic's table is due.
    Topics hear in the order of `team.Team`. They read each other's tables through methods and write only their own.
    """

    table: str = ""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.state = team.state
        self.rows: dict[Key, Row] = team.state.tables[self.table]
        #: `put(key, **fields)` sets fields of a row of this topic's table, `drop(key)` takes the row out
        self.put: Callable[..., None] = partial(team.state.put, self.table)
        self.drop: Callable[[Key], None] = partial(team.state.drop, self.table)
        self.prepare()

    def prepare(self) -> None:
        """Name the private indexes."""

    def woken(self, key: Key) -> None:
        """A timer of this topic is due."""

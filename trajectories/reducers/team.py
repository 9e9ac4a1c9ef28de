"""The topics of one run, wired: one line each. Their order here is the order in which they hear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trajectories.reducers.attention import Attention
from trajectories.reducers.behaviours import Behaviours
from trajectories.reducers.branches import Branches
from trajectories.reducers.checkpoints import Checkpoints
from trajectories.reducers.claims import Claims
from trajectories.reducers.handovers import Handovers
from trajectories.reducers.nodes import Nodes
from trajectories.reducers.notes import Notes
from trajectories.reducers.overlaps import Overlaps
from trajectories.reducers.people import People
from trajectories.reducers.pulls import Pulls
from trajectories.reducers.recoveries import Recoveries
from trajectories.reducers.reviews import Reviews
from trajectories.reducers.roles import Roles
from trajectories.reducers.rules import Limits
from trajectories.reducers.services import Services
from trajectories.reducers.state import State
from trajectories.reducers.tallies import Tallies
from trajectories.reducers.topic import Seen, Topic
from trajectories.reducers.trust import Trust
from trajectories.reducers.waste import Waste
from trajectories.reducers.workers import Workers


class Team:
    """The topics of one run, wired: they read each other by name and tell each other by signal."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.limits = Limits(state)
        self.people = People(state)
        self.tallies = Tallies(state)
        self.workers = Workers(self)
        self.nodes = Nodes(self)
        self.services = Services(self)
        self.notes = Notes(self)
        self.branches = Branches(self)
        self.pulls = Pulls(self)
        self.overlaps = Overlaps(self)  # before claims: the message that releases a claim is part of the talk
        self.claims = Claims(self)
        self.reviews = Reviews(self)
        self.recoveries = Recoveries(self)
        self.handovers = Handovers(self)
        self.roles = Roles(self)
        self.trust = Trust(self)
        self.behaviours = Behaviours(self)
        self.waste = Waste(self)
        self.attention = Attention(self)
        self.checkpoints = Checkpoints(self)
        self.topics: tuple[Topic, ...] = tuple(each for each in vars(self).values() if isinstance(each, Topic))
        self._hearers = {
            signal: self._methods(f"heard_{signal}")
            for topic in self.topics
            for signal in (name.removeprefix("heard_") for name in dir(topic) if name.startswith("heard_"))
        }

    def tell(self, signal: str, *facts: Any) -> None:
        """Let every topic that hears `signal` act, in topic order, before the teller goes on."""
        for hear in self._hearers.get(signal, ()):
            hear(*facts)

    def _methods(self, name: str) -> tuple[Callable[..., None], ...]:
        return tuple(getattr(topic, name) for topic in self.topics if hasattr(topic, name))

    def hearers(self, kind: str) -> tuple[Callable[[Seen], None], ...]:
        """The topics that hear events of this kind."""
        return self._methods(f"on_{kind.replace('.', '_')}")

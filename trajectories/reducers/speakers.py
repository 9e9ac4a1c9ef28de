"""Who tells tallies: the lives of every worker, under the number or the name that their sources know it by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trajectories.events import Event
from trajectories.reducers.fields import whole
from trajectories.reducers.lives import Life
from trajectories.reducers.people import spoken_name
from trajectories.reducers.state import State

Named = int | str


def life_of(event: Event) -> int:
    """The life that speaks: ACP ids are `{worker}-{life}-{n}`; other sources are bound to no life (0)."""
    if event.source != "acp":
        return 0
    parts = event.id.split("-", 2)
    if len(parts) == 3 and parts[1].isascii() and parts[1].isdigit() and len(parts[1]) < 10:
        return int(parts[1])
    return max(0, whole(event.fields.get("life")) or 0)


class Speakers:
    """Part of the tallies. A name may be met before the roster knows whose it is: its life waits under the name."""

    def __init__(self, state: State) -> None:
        self.spoken = state.index("people.spoken")
        self.called = state.index("people.called")
        self.lives: dict[Named, dict[int, Life]] = {}
        self._all: list[Life] = []
        self.lean = True  # no earlier boundary will be asked for again
        self._streams: dict[str, Life] = {}  # `{worker}-{life}` of ACP ids -> the life that speaks there
        self._cast: dict[int, tuple[str, list[tuple[int, Life]]]] = {}  # worker -> its name then, its lives

    def life(self, event: Event) -> Life | None:
        """The life that this event belongs to, made if it is new; None if nobody is named."""
        if event.source == "acp":
            life = self._streams.get(event.id.rpartition("-")[0])
            if life is not None and life.named == event.worker:
                return life
        named = event.worker if type(event.worker) is int else spoken_name(event.actor)
        if named is None:
            return None
        number = life_of(event)
        life = self.begun(named, number)
        if event.source == "acp" and event.id.count("-") == 2 and event.id.split("-")[1] == str(number):
            self._streams[event.id.rpartition("-")[0]] = life
        return life

    def begun(self, named: Named, number: int) -> Life:
        """A life, begun if nobody had heard of it."""
        return self.lives.get(named, {}).get(number) or self.begin(named, number)

    def begin(self, named: Named, number: int) -> Life:
        """A life nobody had heard of."""
        self._cast.clear()
        life = self.lives.setdefault(named, {})[number] = Life(named, number, lean=self.lean)
        self._all.append(life)
        return life

    def worker(self, named: Named) -> int | None:
        """Whose name it is, as far as the roster knows."""
        return named if isinstance(named, int) else self.spoken.get(named)

    def of(self, worker: int) -> list[tuple[int, Life]]:
        """Its lives, those that only its name is known of included."""
        name = self.called.get(worker, "")
        cast = self._cast.get(worker)
        if cast is None or cast[0] != name:
            lives = [*self.lives.get(worker, {}).items(), *self.lives.get(name, {}).items()]
            cast = self._cast[worker] = (name, lives)
        return cast[1]

    def keep(self) -> None:
        """From now on earlier boundaries will be asked for again."""
        self.lean = False
        for life in self:
            life.keep()

    def __iter__(self) -> Iterator[Life]:
        return iter(self._all)

    def dump(self) -> list[Any]:
        """As JSON."""
        return [[life.named, life.number, *life.dump()] for life in self]

    def load(self, data: list[Any]) -> None:
        """From JSON."""
        for named, number, base, recent in data:
            self.begin(named, number).load(base, recent)

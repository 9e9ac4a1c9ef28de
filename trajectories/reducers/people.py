"""Who is who: the roster as it stands at this place of the canonical order. Names are looked up, never parsed."""

from __future__ import annotations

from typing import Any

from trajectories.events import Event
from trajectories.reducers.fields import Fields, words
from trajectories.reducers.state import State

Who = int | str | None
_BOUND = frozenset(["run", "board", "gateway", "acp"])  # our own sources: they name a worker by number or name
_MOST_WORKERS = 65_535


def worker_number(value: Any) -> int | None:
    """A worker's number, else None."""
    return value if type(value) is int and 1 <= value <= _MOST_WORKERS else None


class People:
    """`worker.enrolled` rows, the latest of each worker; an identity outside the roster stays an actor string."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.known = state.index("people.known")
        self.names = state.index("people.names")
        #: casefolded worker names, as boards and texts say them, and back
        self.spoken: dict[str, int] = state.index("people.spoken")
        self.called: dict[int, str] = state.index("people.called")

    def enrol(self, worker: int, fields: Fields) -> None:
        """Take over a roster row; what it replaces is no longer this worker."""
        for old in self.names.get(worker, ()):
            if self.known.get(old) == worker:
                self.state.remove(self.known, old)
        name = words(fields, "name")
        if name:
            self.state.assign(self.spoken, name.casefold(), worker)
            self.state.assign(self.called, worker, name.casefold())
        login = words(fields, "gitea_login") or name
        username = words(fields, "mattermost_username") or name
        names = [
            _named("gitea", login),
            _named("mattermost", username),
            _numbered("gitea", fields.get("gitea_id")),
            _numbered("mattermost", fields.get("mattermost_id")),
        ]
        found = tuple(each for each in names if each is not None)
        for each in found:
            self.state.assign(self.known, each, worker)
        self.state.assign(self.names, worker, found)

    def who(self, source: str, actor: Any, id: Any = None) -> Who:
        """The worker behind an identity, else `source:login`, else None. An id goes before a login."""
        by_id = self.known.get(_numbered(source, id))
        if by_id is not None:
            return int(by_id)
        if type(actor) is int:
            return worker_number(actor)
        if type(actor) is not str or not actor:
            return None
        login = actor.removeprefix(f"{source}:")
        worker = self.spoken.get(login.casefold()) if source in _BOUND else self.known.get(_named(source, login))
        return worker if worker is not None else f"{source}:{login}"

    def names_of(self, worker: int | None) -> tuple[int | str, ...]:
        """What sources call a worker that we name ourselves: its number, and its name as the board says it."""
        return () if worker is None else (worker, self.called.get(worker, ""))

    def of_event(self, event: Event) -> Who:
        """Who acts in this event."""
        if event.actor is None or (event.source in _BOUND and event.worker is not None):
            return worker_number(event.worker)
        return self.who(event.source, event.actor, event.fields.get("actor_id"))


def _named(source: str, name: str | None) -> str | None:
    return f"{source}:{name.casefold()}" if name else None


def _numbered(source: str, id: Any) -> str | None:
    return f"{source}#{id}" if type(id) in (int, str) and id != "" else None


def spoken_name(actor: object) -> str | None:
    """The name that a source gives its actor, casefolded; None if it gives none."""
    return actor.rpartition(":")[2].casefold() if isinstance(actor, str) and actor else None

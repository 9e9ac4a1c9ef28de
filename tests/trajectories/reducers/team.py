"""A small team whose run is told in sentences: each method adds one event and answers with its reference.

team = Team(workers=3)
claim = team.claims(1, "src/lexer.py", delegation="lexer")
team.at(20).direct(2, 1, "yielding, go on")
team.row("claims", claim)["status"]
"""

from __future__ import annotations

from typing import Any

from trajectories.events import Event, order_key
from trajectories.reducers import Change, Fold

START = 1_800_000_000_000


class Team:
    """Builds events in order of time; `fold()` folds them once, in canonical order."""

    def __init__(self, workers: int = 3, **spec: Any) -> None:
        self.events: list[Event] = []
        self.now = START
        self._seq: dict[str, int] = {}
        self._notes = 0
        self._steps: dict[int, int] = {}
        self.lives: dict[int, int] = {}
        self._folded: Fold | None = None
        self.add("run", "run.started", **{"duration_s": 7_200, "claim_ttl_s": 3_600, **spec})
        for worker in range(1, workers + 1):
            self.enrol(worker)
            self.joins(worker)

    # time and plain events

    def at(self, seconds: float) -> Team:
        """Go to this second of the run."""
        self.now, self._folded = START + int(seconds * 1000), None
        return self

    def later(self, seconds: float) -> Team:
        """Let time pass."""
        self.now, self._folded = self.now + int(seconds * 1000), None
        return self

    def add(
        self,
        source: str,
        told: str,
        worker: int | None = None,
        actor: str | None = None,
        *,
        id: str | None = None,
        said: float | None = None,
        **fields: Any,
    ) -> str:
        """One event; its reference."""
        seq = self._seq[source] = self._seq.get(source, 0) + 1
        said_at = None if said is None else START + int(said * 1000)
        event = Event(self.now, source, seq, id or str(seq), 0, told, worker, actor, said_at, fields)
        self.events.append(event)
        self._folded = None
        return event.ref

    # run

    def enrol(self, worker: int, **fields: Any) -> str:
        """A roster row."""
        name = f"w{worker:04d}"
        row = {"name": name, "node": "local", "gitea_login": name, "gitea_id": 100 + worker}
        return self.add("run", "worker.enrolled", worker, **{**row, "mattermost_username": name, **fields})

    def joins(self, worker: int, life: int = 1) -> str:
        """Its process starts."""
        self.lives[worker] = life
        return self.add("run", "worker.joined", worker, life=life)

    def exits(self, worker: int, *, expected: bool = False, **fields: Any) -> str:
        """Its process ends."""
        return self.add("run", "worker.exited", worker, life=self.lives[worker], expected=expected, **fields)

    def silent(self, worker: int) -> str:
        """The monitor hears nothing of it."""
        return self.add("run", "worker.silent", worker, since="")

    def heard(self, worker: int) -> str:
        """It speaks again."""
        return self.add("run", "worker.heard", worker)

    def tick(self) -> str:
        """Ten seconds have passed somewhere."""
        return self.add("run", "run.ticked")

    def ends(self) -> str:
        """The run is over."""
        return self.add("run", "run.ended", outcome="ended", reason="time")

    # board

    def note(self, worker: int, type: str, text: str, delegation: str | None = None, **fields: Any) -> int:
        """A note; its id."""
        self._notes += 1
        note = {"note": self._notes, "type": type, "text": text, "delegation_id": delegation, "detail": None}
        self.add("board", "note.posted", None, name_of(worker), **note, **fields)
        return self._notes

    def claims(self, worker: int, text: str, delegation: str | None = None) -> int:
        """A CLAIM; its id."""
        return self.note(worker, "CLAIM", text, delegation)

    def fails(self, worker: int, text: str, delegation: str | None = None) -> int:
        """A FAIL; its id."""
        return self.note(worker, "FAIL", text, delegation)

    # chat

    def says(self, worker: int, text: str) -> str:
        """To the channel."""
        return self.chat("message.posted", worker, message="m", kind="channel", to=[], text=text)

    def chat(self, told: str, worker: int, **fields: Any) -> str:
        """Any chat event."""
        return self.add("mattermost", told, None, f"mattermost:{name_of(worker)}", **fields)

    def direct(self, worker: int, to: int, text: str) -> str:
        """To a peer alone."""
        fields = {"message": "m", "kind": "direct", "to": [f"mattermost:{name_of(to)}"], "text": text}
        return self.chat("message.posted", worker, **fields)

    # forge

    def forge(self, told: str, who: int | str, **fields: Any) -> str:
        """Any forge event by a worker or an outsider's login."""
        return self.add("gitea", told, None, f"gitea:{name_of(who)}", **fields)

    def opens(self, who: int | str, pull: int, title: str = "Work", body: str = "", head: str = "topic") -> str:
        """A pull."""
        facts = {"title": title, "body": body, "head": head, "base": "main", "author": f"gitea:{name_of(who)}"}
        return self.forge("pull.opened", who, number=pull, **facts)

    def edits(self, who: int | str, pull: int, title: str, body: str = "") -> str:
        """A new title or body."""
        return self.forge("pull.edited", who, number=pull, title=title, body=body)

    def merges(self, who: int | str, pull: int, sha: str = "") -> str:
        """A merge."""
        return self.forge("pull.merged", who, number=pull, sha=sha or f"merge{pull}")

    def closes(self, who: int | str, pull: int) -> str:
        """A close without merge."""
        return self.forge("pull.closed", who, number=pull)

    def asks(self, who: int | str, pull: int, reviewer: int | str) -> str:
        """A review request."""
        return self.forge("review.requested", who, number=pull, reviewer=f"gitea:{name_of(reviewer)}")

    def reviews(self, who: int | str, pull: int, verdict: str, text: str = "") -> str:
        """A review by hook."""
        return self.forge("review.submitted", who, number=pull, verdict=verdict, text=text)

    def sweep(self, pull: int, state: str = "open", reviews: list[dict[str, Any]] | None = None, **facts: Any) -> str:
        """What REST says of a pull."""
        fields: dict[str, Any] = {"number": pull, "state": state, "conflict": "unknown", **facts}
        if reviews is not None:
            fields["reviews"] = reviews
        return self.add("gitea", "pull.observed", None, None, **fields)

    def told(self, id: int, who: int | str, verdict: str, text: str = "text", **facts: Any) -> dict[str, Any]:
        """A review as a sweep lists it."""
        review = {"id": id, "actor": f"gitea:{name_of(who)}", "verdict": verdict, "text": text, "said_at": self.now}
        return {**review, "dismissed": False, "dismissed_by": None, "stale": False, **facts}

    def pushes(self, who: int | str, branch: str, before: str, after: str, *files: str) -> str:
        """A push that touches these files."""
        commits = [{"sha": after, "title": "work", "actor": None, "files": list(files)}]
        return self.forge("commits.pushed", who, branch=branch, before=before, after=after, commits=commits)

    # the agent

    def agent(self, worker: int, told: str, life: int | None = None, **fields: Any) -> str:
        """An ACP event."""
        n = self._steps[worker] = self._steps.get(worker, 0) + 1
        life = self.lives.get(worker, 1) if life is None else life
        event = Event(self.now, "acp", n, f"{worker}-{life}-{n}", 0, told, worker, None, None, fields)
        self.events.append(event)
        self._folded = None
        return event.ref

    def turn(self, worker: int, trigger: str = "first") -> str:
        """A turn begins."""
        return self.agent(worker, "turn.started", turn=1, trigger=trigger)

    def rests(self, worker: int, error: str | None = None) -> str:
        """A turn ends."""
        return self.agent(worker, "turn.finished", turn=1, stop_reason="end_turn", error=error)

    def steps(self, worker: int, count: int = 1) -> None:
        """Tool calls."""
        for _ in range(count):
            self.agent(worker, "step.started", step="s", tool="shell")

    # what it comes to

    def fold(self) -> Fold:
        """All events so far, in canonical order, up to the present second."""
        if self._folded is None:
            self._folded, self.changes = fold_of(self.events)
            self.changes += self._folded.advance(self.now)
            assert self._folded.faults == []
        return self._folded

    changes: list[Change]

    def table(self, name: str) -> dict[Any, Any]:
        """Rows now."""
        return dict(self.fold().tables[name])

    def row(self, table: str, key: Any) -> dict[str, Any]:
        """One row now."""
        return dict(self.fold().tables[table][key])


def fold_of(events: list[Event]) -> tuple[Fold, list[Change]]:
    """The plain definition: sort, fold once."""
    fold, changes = Fold(), []
    for event in sorted(events, key=order_key):
        changes += fold.take(event)
    return fold, changes


def name_of(who: int | str) -> str:
    return f"w{who:04d}" if isinstance(who, int) else who

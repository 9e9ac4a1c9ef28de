"""Pens for stories: a small run told in sentences, written as raw deliveries in the sources' own shapes.

tale = Tale("two_workers_want_one_item", "Two workers claim the lexer; one yields.", workers=2)
one = tale.at(10).claim(1, "CLAIM: lexer", "lexer")
tale.at(30).direct(2, 1, "Yielding, it is yours.")
tale.expect(claims={"1": {"status": "live"}})       # at this moment
tale.write()                                        # deliveries/*.jsonl and expect.json

What a pen writes is read by a person before it is committed; the tests never run a pen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runs.simulate.bundle import iso
from runs.simulate.forge import REPOSITORY, Forge, Pull, account
from runs.simulate.talk import Board, Chat, member

ROOT = Path(__file__).parent
START = 1_800_000_000_000


class Paper:
    """Takes deliveries where a bundle would."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.lines: list[tuple[str, dict[str, Any]]] = []

    def next(self, source: str) -> int:
        """The next number of a source."""
        self.counts[source] = self.counts.get(source, 0) + 1
        return self.counts[source]

    def deliver(
        self, source: str, id: str, seq: int, at: int, body: Any, headers: dict[str, str] | None = None
    ) -> None:
        """Append one."""
        line = {
            "id": id,
            "seq": seq,
            "at": iso(at),
            "received_at": iso(at + 80),
            "headers": headers or {},
            "body": body,
        }
        self.lines.append((source, json.loads(json.dumps(line))))


class PlainForge(Forge):
    """Hooks whose ids can be read: the n-th hook is `hook-n`."""

    def hook(self, at: int, type: str, body: dict[str, Any], worker: int) -> None:
        """One hook_task row."""
        seq = self.bundle.next("gitea")
        headers = {"X-Gitea-Event-Type": type, "X-Gitea-Delivery": f"hook-{seq}"}
        body = {**body, "repository": REPOSITORY, "sender": self.people.get(worker, account(worker))}
        self.bundle.deliver("gitea", f"hook-{seq}", seq, at, body, headers)

    people: dict[int, dict[str, Any]] = {}


class Tale:
    """One story. `at` goes to a second of the run; every deed answers with its reference or number."""

    def __init__(self, name: str, about: str, workers: int = 3, **spec: Any) -> None:
        self.name, self.about, self.now = name, about, START
        self.paper: Any = Paper()
        self.forge, self.board, self.chat = PlainForge(self.paper), Board(self.paper), Chat(self.paper)
        self.moments: list[dict[str, Any]] = []
        self.items: dict[int, int] = {}
        self.run("run.started", **{"duration_s": 7_200, "claim_ttl_s": 3_600, **spec})
        for worker in range(1, workers + 1):
            self.enrol(worker)
            self.run("worker.joined", worker=worker, life=1)

    def at(self, seconds: float) -> Tale:
        """Go to this second."""
        self.now = START + round(seconds * 1000)
        return self

    def run(self, kind: str, **fields: Any) -> str:
        """A run event."""
        n = self.paper.next("run")
        self.paper.deliver("run", str(n), n, self.now, {"n": n, "at": iso(self.now), "kind": kind, "fields": fields})
        return f"run:{n}"

    def enrol(self, worker: int, **fields: Any) -> str:
        """A roster row."""
        name = f"w{worker:04d}"
        row = {"worker": worker, "name": name, "node": "local", "gitea_login": name, "gitea_id": 100 + worker}
        return self.run(
            "worker.enrolled", **{**row, "mattermost_username": name, "mattermost_id": member(worker)["id"], **fields}
        )

    # board

    def note(self, worker: int, type: str, text: str, about: str | None = None, detail: str = "") -> int:
        """A note; its id."""
        return self.board.post(self.now, worker, type, text, about, detail)

    def claim(self, worker: int, text: str, about: str | None = None) -> int:
        """A CLAIM."""
        return self.note(worker, "CLAIM", text, about)

    def fail(self, worker: int, text: str, about: str | None = None) -> int:
        """A FAIL."""
        return self.note(worker, "FAIL", text, about)

    def read(self, worker: int) -> None:
        """The board, to its end."""
        self.board.read(self.now, worker, 1)

    # chat

    def say(self, worker: int, text: str) -> str:
        """To the channel; the post's id."""
        return self.chat.say(self.now, worker, text)

    def direct(self, worker: int, to: int, text: str) -> str:
        """To a peer alone; its reference."""
        return f"mattermost:{self.chat.say(self.now, worker, text, to)}@{self.now}"

    # forge

    def pull(self, worker: int, title: str, body: str = "", branch: str = "") -> Pull:
        """Push and open."""
        branch = branch or f"w{worker:04d}/topic-{len(self.forge.pulls) + 1}"
        self.forge.push(self.now - 1_000, worker, branch, title)
        return self.forge.open(self.now, worker, branch, title, body)

    def review(self, worker: int, pull: Pull, verdict: str, text: str) -> str:
        """approved, rejected or comment."""
        self.forge.review(self.now, pull, worker, verdict, text)
        return self.last("gitea")

    def merge(self, worker: int, pull: Pull) -> str:
        """Into main; the reference of the closing hook (the push of main follows it)."""
        self.forge.merge(self.now, pull, worker)
        return f"gitea:hook-{self.paper.counts['gitea'] - 1}"

    def last(self, source: str) -> str:
        """The reference of the newest delivery of a source."""
        return next(f"{where}:{line['id']}" for where, line in reversed(self.paper.lines) if where == source)

    def again(self, source: str, new_id: str, after: float = 5.0) -> None:
        """The newest delivery of a source once more, same body, under another id."""
        line = next(line for where, line in reversed(self.paper.lines) if where == source)
        seq = self.paper.next(source)
        headers = {name: new_id if name == "X-Gitea-Delivery" else value for name, value in line["headers"].items()}
        self.now += round(after * 1000)
        self.paper.deliver(source, new_id, seq, self.now, line["body"], headers)

    def drop(self, source: str) -> None:
        """The newest delivery of a source never came."""
        place = next(p for p in range(len(self.paper.lines) - 1, -1, -1) if self.paper.lines[p][0] == source)
        del self.paper.lines[place]

    # agent

    def agent(self, worker: int, *messages: dict[str, Any], dir: str = "loop", life: int = 1) -> str:
        """One batch of ACP items; the reference of its first."""
        first = self.items.get(worker, 0) + 1
        self.items[worker] = first + len(messages) - 1
        stamp = {"dir": dir, "session": 1, "turn": 1, "at": iso(self.now)}
        items = [{"n": first + k, **stamp, "msg": msg} for k, msg in enumerate(messages)]
        body = {"worker": worker, "life": life, "sent_at": iso(self.now), "items": items}
        self.paper.deliver("acp", f"{worker}-{life}-{first}", first, self.now, body, {"X-Agensh-Harness": "mini/1"})
        return f"acp:{worker}-{life}-{first}"

    # what it comes to

    def expect(self, **tables: dict[str, Any]) -> None:
        """What must hold at this moment."""
        self.moments.append({"at": (self.now - START) / 1000, "tables": tables})

    def write(self) -> None:
        """The folder."""
        folder = ROOT / self.name / "deliveries"
        folder.mkdir(parents=True, exist_ok=True)
        for source in sorted({where for where, _ in self.paper.lines}):
            lines = [json.dumps(line, ensure_ascii=False) for where, line in self.paper.lines if where == source]
            (folder / f"{source}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        expect = {"about": self.about, "moments": self.moments}
        (ROOT / self.name / "expect.json").write_text(
            json.dumps(expect, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )

"""What is true at once when a ref moved, by push, by merge or by deletion: branches, heads of pulls. And lines of a timeline."""

from __future__ import annotations

import json
from dataclasses import dataclass

from standins.forge import payloads
from standins.forge.forge import Forge, Row
from standins.forge.git import ZERO
from standins.forge.hooks import emit
from standins.store import now_ms


@dataclass(frozen=True, slots=True)
class Moved:
    """A ref that went from one commit to another; forty zeros stand for absence."""

    ref: str
    before: str
    after: str

    @property
    def branch(self) -> str | None:
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else None


def moved(forge: Forge, repo: Row, pusher: Row, moves: list[Moved]) -> None:
    """Book moves that git has made: branches and heads of pulls at once, what is told of them in the queue of `booking`.
    The caller holds the repository's lock."""
    ahead = [
        (move, pull, _merge_base(forge, repo, pull, move)) for move in moves for pull in _waiting(forge, repo, move)
    ]
    with forge.store.change() as db:
        db.execute("UPDATE repository SET updated = ? WHERE id = ?", (now_ms(), repo["id"]))
        for move in moves:
            if move.branch is not None and move.after == ZERO:
                db.execute("DELETE FROM branch WHERE repo_id = ? AND name = ?", (repo["id"], move.branch))
            elif move.branch is not None:
                db.execute("INSERT OR REPLACE INTO branch VALUES (?, ?, ?)", (repo["id"], move.branch, move.after))
            told = " ".join(str(pull["id"]) for each, pull, _ in ahead if each is move)
            fields = {"ref": move.ref, "before": move.before, "after": move.after, "pulls": told}
            forge.store.add("push_queue", repo_id=repo["id"], pusher_id=pusher["id"], **fields)
        for move, pull, base in ahead:
            forge.bare(repo).set_ref(f"refs/pull/{pull['number']}/head", move.after)
            forge.store.set("pull", pull["id"], head_sha=move.after, merge_base=base, updated=now_ms())


def _waiting(forge: Forge, repo: Row, move: Moved) -> list[Row]:
    """Open pulls whose head this move takes on."""
    if move.branch is None or ZERO in (move.before, move.after):
        return []
    query = "SELECT * FROM pull WHERE repo_id = ? AND head = ? AND state = 'open' AND head_sha <> ? ORDER BY number"
    return forge.store.all(query, repo["id"], move.branch, move.after)


def _merge_base(forge: Forge, repo: Row, pull: Row, move: Moved) -> str:
    base_sha = forge.head_of(repo, pull["base"])
    found = forge.bare(repo).merge_base(base_sha, move.after) if base_sha else ""
    return found or str(pull["merge_base"])


def close(forge: Forge, repo: Row, doer: Row, pull: Row) -> None:
    """Close a pull without merging it."""
    at = now_ms()
    with forge.store.change():
        forge.store.set("pull", pull["id"], state="closed", closed_at=at, updated=at)
        note(forge, pull, doer, "close")
        pull = {**pull, "state": "closed", "closed_at": at, "updated": at}
        emit(forge, repo, "pull_request", payloads.pull_event(forge, repo, pull, doer, "closed"))


def note(forge: Forge, pull: Row, doer: Row, kind: str, body: str = "", review: int = 0, **extra: str) -> int:
    """A line of the pull's timeline; every one moves the pull's `updated_at`."""
    at = now_ms()
    forge.store.set("pull", pull["id"], updated=at)
    return forge.store.add(
        "comment",
        pull_id=pull["id"],
        user_id=doer["id"],
        type=kind,
        body=body,
        review_id=review,
        extra=json.dumps(extra),
        created=at,
        updated=at,
    )

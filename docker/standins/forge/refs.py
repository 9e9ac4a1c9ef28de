"""What follows when a ref moved, by push, by merge or by deletion: branches, events, pulls that go with it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from standins.forge import payloads
from standins.forge.forge import Forge, Row
from standins.forge.git import ZERO, Commit, GitFailed
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
    """Book moves that git has made. The caller holds the repository's lock."""
    bare = forge.bare(repo)
    told: list[tuple[Moved, list[Commit]]] = []
    for move in moves:
        commits: list[Commit] = []
        if move.branch is not None and move.after != ZERO:
            commits = _new_commits(forge, repo, move)
            bare.commit(move.after)
        told.append((move, commits))
    stale = {move.ref: _stale_pulls(forge, repo, move) for move, _ in told}
    with forge.store.change():
        for move, commits in told:
            _book(forge, repo, pusher, move, commits)
            _follow(forge, repo, pusher, move, stale[move.ref])


def pulls_of(forge: Forge, repo: Row, branch: str) -> list[Row]:
    """Open pulls that ask for this branch."""
    return forge.store.all(
        "SELECT * FROM pull WHERE repo_id = ? AND head = ? AND state = 'open' ORDER BY number", repo["id"], branch
    )


def _new_commits(forge: Forge, repo: Row, move: Moved) -> list[Commit]:
    bare = forge.bare(repo)
    limit = f"-n{payloads.MOST_COMMITS}"
    if move.before != ZERO:
        return bare.log([limit, f"{move.before}..{move.after}"])
    known = forge.head_of(repo, repo["default_branch"])
    return bare.log([limit, f"{known}..{move.after}"]) if known else bare.log(["-n10", move.after])


def _book(forge: Forge, repo: Row, pusher: Row, move: Moved, commits: list[Commit]) -> None:
    kind = "branch" if move.branch is not None else "tag"
    name = move.branch if move.branch is not None else move.ref.removeprefix("refs/tags/")
    with forge.store.change() as db:
        db.execute("UPDATE repository SET updated = ? WHERE id = ?", (now_ms(), repo["id"]))
        if move.branch is not None:
            if move.after == ZERO:
                db.execute("DELETE FROM branch WHERE repo_id = ? AND name = ?", (repo["id"], name))
            else:
                db.execute("INSERT OR REPLACE INTO branch VALUES (?, ?, ?)", (repo["id"], name, move.after))
        if move.after == ZERO:
            emit(forge, repo, "delete", payloads.ref_event(forge, repo, pusher, name, kind, None))
            return
        if move.before == ZERO:
            emit(forge, repo, "create", payloads.ref_event(forge, repo, pusher, name, kind, move.after))
        if move.branch is not None:
            push = payloads.push_event(forge, repo, pusher, name, move.before, move.after, commits)
            emit(forge, repo, "push", push)


def _stale_pulls(forge: Forge, repo: Row, move: Moved) -> dict[int, tuple[str, bool]]:
    """For each open pull of a moved branch: its new merge base, and whether its difference says something else."""
    found: dict[int, tuple[str, bool]] = {}
    if move.branch is None or move.after == ZERO:
        return found
    bare = forge.bare(repo)
    for pull in pulls_of(forge, repo, move.branch):
        base_sha = forge.head_of(repo, pull["base"]) or ""
        base = bare.merge_base(base_sha, move.after) if base_sha else ""
        try:
            before = bare.patch_id(pull["merge_base"], pull["head_sha"])
            other = not base or bare.patch_id(base, move.after) != before
        except GitFailed:
            other = True
        bare.changed_files(base or move.after, move.after)
        found[pull["id"]] = (base or pull["merge_base"], other)
    return found


def _follow(forge: Forge, repo: Row, pusher: Row, move: Moved, stale: dict[int, tuple[str, bool]]) -> None:
    if move.branch is None or move.before == ZERO:
        return
    for pull in pulls_of(forge, repo, move.branch):
        if move.after == ZERO:
            # Gitea closes the pulls of a deleted branch.
            close(forge, repo, pusher, pull)
        elif pull["head_sha"] != move.after and pull["id"] in stale:
            _synchronize(forge, repo, pusher, pull, move, *stale[pull["id"]])


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


def _synchronize(forge: Forge, repo: Row, pusher: Row, pull: Row, move: Moved, base: str, other: bool) -> None:
    store, bare = forge.store, forge.bare(repo)
    bare.set_ref(f"refs/pull/{pull['number']}/head", move.after)
    at = now_ms()
    store.set("pull", pull["id"], head_sha=move.after, merge_base=base, updated=at)
    pull = {**pull, "head_sha": move.after, "merge_base": base, "updated": at}
    forced = not bare.is_ancestor(move.before, move.after)
    note(forge, pull, pusher, "pull_push", json.dumps({"is_force_push": forced, "commit_ids": [move.after]}))
    rule = forge.protection(repo, pull["base"]) or {}
    with store.change() as db:
        if other:
            db.execute("UPDATE review SET stale = 1 WHERE pull_id = ? AND commit_id <> ?", (pull["id"], move.after))
            if rule.get("dismiss_stale_approvals"):
                for review in store.all(
                    "SELECT id FROM review WHERE pull_id = ? AND state = 'APPROVED' AND dismissed = 0", pull["id"]
                ):
                    store.set("review", review["id"], dismissed=1, updated=at)
                    text = (
                        "New commits pushed, approval review dismissed automatically according to repository settings"
                    )
                    note(forge, pull, pusher, "dismiss_review", text, review["id"])
        else:
            # The same difference on another base: what was reviewed still stands.
            db.execute("UPDATE review SET commit_id = ? WHERE pull_id = ? AND stale = 0", (move.after, pull["id"]))
    emit(forge, repo, "pull_request_sync", payloads.pull_event(forge, repo, pull, pusher, "synchronized"))

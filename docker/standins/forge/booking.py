"""What a push tells, a moment after it was answered: as in Gitea it waits in a queue, so a pull's webhook may come first.

The queue is a table: a forge that was killed in between goes on with it, and each move is told in the change that takes it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from standins.forge import payloads
from standins.forge.forge import Forge, Row
from standins.forge.git import ZERO, Commit, GitFailed
from standins.forge.hooks import emit
from standins.forge.refs import Moved, close, note
from standins.store import now_ms

PAUSE_S = 0.05


def book_moves(forge: Forge, stopped: Callable[[], bool]) -> None:
    """Tell every move that waits, in order."""
    while not stopped():
        row = forge.store.one("SELECT * FROM push_queue ORDER BY id")
        if row is None:
            return
        repo = forge.store.one("SELECT * FROM repository WHERE id = ?", row["repo_id"])
        pusher = forge.account_by_id(row["pusher_id"])
        if repo is not None and pusher is not None:
            _book(forge, repo, pusher, row)
        else:
            _done(forge, row)


def _done(forge: Forge, row: Row) -> None:
    with forge.store.change() as db:
        db.execute("DELETE FROM push_queue WHERE id = ?", (row["id"],))


def _book(forge: Forge, repo: Row, pusher: Row, row: Row) -> None:
    move = Moved(row["ref"], row["before"], row["after"])
    commits = _new_commits(forge, repo, move) if move.branch is not None and move.after != ZERO else []
    ahead = {int(each) for each in row["pulls"].split()}  # open when the branch moved
    pulls = [pull for pull in _pulls_of(forge, repo, move) if move.after == ZERO or pull["id"] in ahead]
    other = {pull["id"]: _says_something_else(forge, repo, pull, move) for pull in pulls}
    with forge.store.change():
        _done(forge, row)
        _tell(forge, repo, pusher, move, commits)
        for pull in pulls:
            if move.after == ZERO:
                close(forge, repo, pusher, pull)  # Gitea closes the pulls of a deleted branch
            else:
                _synchronize(forge, repo, pusher, pull, move, other[pull["id"]])


def _pulls_of(forge: Forge, repo: Row, move: Moved) -> list[Row]:
    if move.branch is None or move.before == ZERO:
        return []
    return forge.store.all(
        "SELECT * FROM pull WHERE repo_id = ? AND head = ? AND state = 'open' ORDER BY number", repo["id"], move.branch
    )


def _new_commits(forge: Forge, repo: Row, move: Moved) -> list[Commit]:
    bare = forge.bare(repo)
    limit = f"-n{payloads.MOST_COMMITS}"
    if move.before != ZERO:
        return bare.log([limit, f"{move.before}..{move.after}"])
    known = forge.head_of(repo, repo["default_branch"])
    other = known if known and known != move.after else None
    return bare.log([limit, f"{other}..{move.after}"]) if other else bare.log(["-n10", move.after])


def _tell(forge: Forge, repo: Row, pusher: Row, move: Moved, commits: list[Commit]) -> None:
    kind = "branch" if move.branch is not None else "tag"
    name = move.branch if move.branch is not None else move.ref.removeprefix("refs/tags/")
    if move.after == ZERO:
        emit(forge, repo, "delete", payloads.ref_event(forge, repo, pusher, name, kind, None))
        return
    if move.before == ZERO:
        emit(forge, repo, "create", payloads.ref_event(forge, repo, pusher, name, kind, move.after))
    if move.branch is not None:
        push = payloads.push_event(forge, repo, pusher, name, move.before, move.after, commits)
        emit(forge, repo, "push", push)


def _says_something_else(forge: Forge, repo: Row, pull: Row, move: Moved) -> bool:
    """Whether the pull's difference is another one than before, wherever it sits."""
    bare, base_sha = forge.bare(repo), forge.head_of(repo, pull["base"])
    if not base_sha or move.after == ZERO:
        return True
    bare.changed_files(pull["merge_base"] or move.after, move.after)
    bare.commit(move.after)
    bases = [bare.merge_base(base_sha, sha) for sha in (move.before, move.after)]
    try:
        return not all(bases) or bare.patch_id(bases[0], move.before) != bare.patch_id(bases[1], move.after)
    except GitFailed:
        return True


def _synchronize(forge: Forge, repo: Row, pusher: Row, pull: Row, move: Moved, other: bool) -> None:
    store = forge.store
    forced = not forge.bare(repo).is_ancestor(move.before, move.after)
    note(forge, pull, pusher, "pull_push", json.dumps({"is_force_push": forced, "commit_ids": [move.after]}))
    rule = forge.protection(repo, pull["base"]) or {}
    with store.change() as db:
        if other:
            db.execute("UPDATE review SET stale = 1 WHERE pull_id = ?", (pull["id"],))
            if rule.get("dismiss_stale_approvals"):
                for review in store.all(
                    "SELECT id FROM review WHERE pull_id = ? AND state = 'APPROVED' AND dismissed = 0", pull["id"]
                ):
                    store.set("review", review["id"], dismissed=1, updated=now_ms())
                    text = (
                        "New commits pushed, approval review dismissed automatically according to repository settings"
                    )
                    note(forge, pull, pusher, "dismiss_review", text, review["id"])
        db.execute("UPDATE review SET stale = 0 WHERE pull_id = ? AND commit_id = ?", (pull["id"], move.after))
    told = store.one("SELECT * FROM pull WHERE id = ?", pull["id"]) or pull
    emit(forge, repo, "pull_request_sync", payloads.pull_event(forge, repo, told, pusher, "synchronized"))

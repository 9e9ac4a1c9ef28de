"""The conversation of a pull, which Gitea keeps under issues: comments and the timeline."""

from __future__ import annotations

from typing import Any

from standins.forge import payloads, pulls, shapes
from standins.forge.forge import WRITE, Forge, Row
from standins.forge.handlers import HANDLERS, need_user, paged, repo_of
from standins.forge.hooks import emit
from standins.forge.refs import note
from standins.forge.times import millis_or_none
from standins.store import now_ms
from standins.web import Answer, Call, Refused


@HANDLERS("GET", "/repos/{owner}/{repo}/issues")
def list_issues(forge: Forge, call: Call) -> Answer:
    """Pulls by their last change; this repository has no other issues."""
    repo = repo_of(forge, call)
    state = call.query.get("state") or "open"
    since = millis_or_none(call.query.get("since")) or 0
    before = millis_or_none(call.query.get("before"))
    rows = forge.store.all(
        "SELECT * FROM pull WHERE repo_id = ? AND (? = 'all' OR state = ?) AND updated >= ? ORDER BY number DESC",
        repo["id"],
        state,
        state,
        since,
    )
    rows = [row for row in rows if before is None or row["updated"] < before]
    if call.query.get("type") == "issues":
        rows = []
    return paged(call, rows, lambda row: shapes.issue(forge, repo, row))


def _at(forge: Forge, call: Call) -> tuple[Row, Row]:
    repo = repo_of(forge, call)
    return repo, pulls.find(forge, repo, call.params["index"])


@HANDLERS("GET", "/repos/{owner}/{repo}/issues/{index}/comments")
def list_comments(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    since = millis_or_none(call.query.get("since")) or 0
    rows = forge.store.all(
        "SELECT * FROM comment WHERE pull_id = ? AND type = 'comment' AND updated >= ? ORDER BY id", pull["id"], since
    )
    return Answer([shapes.comment(forge, repo, pull, row) for row in rows])


@HANDLERS("POST", "/repos/{owner}/{repo}/issues/{index}/comments")
def add_comment(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    doer = need_user(call)
    if not call.text("body").strip():
        raise Refused(422, "body is empty")
    with forge.store.change():
        id = note(forge, pull, doer, "comment", call.text("body"))
        row = _comment(forge, id)
        pull = pulls.find(forge, repo, pull["number"])
        emit(forge, repo, "pull_request_comment", payloads.comment_event(forge, repo, pull, doer, "created", row))
    return Answer(shapes.comment(forge, repo, pull, row), 201)


def _own_comment(forge: Forge, call: Call) -> tuple[Row, Row, Row, Row]:
    repo = repo_of(forge, call)
    doer = need_user(call)
    row = _comment(forge, call.params["id"])
    pull = forge.store.one("SELECT * FROM pull WHERE id = ? AND repo_id = ?", row["pull_id"], repo["id"])
    if pull is None:
        raise Refused(404, "comment does not exist")
    if row["user_id"] != doer["id"] and forge.level(doer, repo) < WRITE:
        raise Refused(403, "not your comment")
    return repo, doer, pull, row


@HANDLERS("PATCH", "/repos/{owner}/{repo}/issues/comments/{id}")
def edit_comment(forge: Forge, call: Call) -> Answer:
    repo, doer, pull, old = _own_comment(forge, call)
    with forge.store.change():
        forge.store.set("comment", old["id"], body=call.text("body"), updated=now_ms())
        forge.store.set("pull", pull["id"], updated=now_ms())
        row = _comment(forge, old["id"])
        told = payloads.comment_event(forge, repo, pull, doer, "edited", row, old["body"])
        emit(forge, repo, "pull_request_comment", told)
    return Answer(shapes.comment(forge, repo, pull, row))


@HANDLERS("DELETE", "/repos/{owner}/{repo}/issues/comments/{id}")
def delete_comment(forge: Forge, call: Call) -> Answer:
    repo, doer, pull, row = _own_comment(forge, call)
    with forge.store.change() as db:
        db.execute("DELETE FROM comment WHERE id = ?", (row["id"],))
        told = payloads.comment_event(forge, repo, pull, doer, "deleted", row)
        emit(forge, repo, "pull_request_comment", told)
    return Answer(status=204)


@HANDLERS("GET", "/repos/{owner}/{repo}/issues/{index}/timeline")
def timeline(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    since = millis_or_none(call.query.get("since")) or 0
    before = millis_or_none(call.query.get("before"))
    rows: list[dict[str, Any]] = forge.store.all(
        "SELECT * FROM comment WHERE pull_id = ? AND updated >= ? ORDER BY id", pull["id"], since
    )
    rows = [row for row in rows if before is None or row["updated"] < before]
    return paged(call, rows, lambda row: shapes.timeline(forge, repo, pull, row))


def _comment(forge: Forge, id: int) -> Row:
    row = forge.store.one("SELECT * FROM comment WHERE id = ? AND type = 'comment'", id)
    if row is None:
        raise Refused(404, "comment does not exist")
    return row

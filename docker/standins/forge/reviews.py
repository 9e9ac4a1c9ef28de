"""Verdicts on a pull: submitted, dismissed, deleted, asked for. Only what Gitea tells by webhook is told."""

from __future__ import annotations

from typing import Any

from standins.forge import payloads
from standins.forge.forge import ADMIN, READ, WRITE, Forge, Row
from standins.forge.hooks import emit
from standins.forge.refs import note
from standins.store import now_ms
from standins.web import Refused

_STATES = {
    "APPROVED": ("APPROVED", "pull_request_review_approved"),
    "APPROVE": ("APPROVED", "pull_request_review_approved"),
    "REQUEST_CHANGES": ("REQUEST_CHANGES", "pull_request_review_rejected"),
    "COMMENT": ("COMMENT", "pull_request_review_comment"),
}

_ASKED = "REQUEST_REVIEW"
_UNASK = f"DELETE FROM review WHERE pull_id = ? AND user_id = ? AND state = '{_ASKED}'"  # noqa: S608 - a name of ours


def find(forge: Forge, pull: Row, id: int) -> Row:
    """A review of this pull. Raises Refused(404)."""
    review = forge.store.one("SELECT * FROM review WHERE id = ? AND pull_id = ?", id, pull["id"])
    if review is None:
        raise Refused(404, "review does not exist")
    return review


def submit(
    forge: Forge, repo: Row, pull: Row, doer: Row, event: str, body: str, commit_id: str, comments: list[Any]
) -> Row:
    """Give a verdict, with comments inside it; it answers the request that asked for it."""
    if event not in _STATES:
        raise Refused(422, f"review event is not valid [event: {event}]")
    state, event_type = _STATES[event]
    if doer["id"] == pull["author_id"] and state in ("APPROVED", "REQUEST_CHANGES"):
        raise Refused(422, "approve your own pull is not allowed" if state == "APPROVED" else
                      "reject your own pull is not allowed")  # fmt: skip
    if state != "APPROVED" and not body.strip() and not comments:
        raise Refused(422, f"review event {event} requires a body")
    if pull["state"] != "open":
        raise Refused(422, "can't submit review for a closed or merged PR")
    at = now_ms()
    store = forge.store
    with store.change() as db:
        # A new verdict takes the force of the reviewer's older ones; they show as dismissed, by nobody and untold.
        if state in ("APPROVED", "REQUEST_CHANGES"):
            mine = (pull["id"], doer["id"])
            db.execute("UPDATE review SET official = 0 WHERE pull_id = ? AND user_id = ?", mine)
            db.execute("UPDATE review SET dismissed = 1 WHERE pull_id = ? AND user_id = ? AND state <> 'COMMENT'", mine)
        db.execute(_UNASK, (pull["id"], doer["id"]))
        id = store.add(
            "review",
            pull_id=pull["id"],
            user_id=doer["id"],
            state=state,
            body=body,
            commit_id=commit_id or pull["head_sha"],
            official=int(state != "COMMENT" and forge.level(doer, repo) >= WRITE),
            stale=int(bool(commit_id) and commit_id != pull["head_sha"]),
            created=at,
            updated=at,
        )
        for each in comments:
            store.add("review_comment", review_id=id, user_id=doer["id"], path=str(each.get("path") or ""), created=at,
                      line=int(each.get("new_position") or each.get("old_position") or 0), body=str(each.get("body") or ""),
                      commit_id=commit_id or pull["head_sha"])  # fmt: skip
        note(forge, pull, doer, "review", body, id)
        told = {"type": event_type, "content": body}
        pull = store.one("SELECT * FROM pull WHERE id = ?", pull["id"]) or pull
        emit(
            forge,
            repo,
            event_type,
            payloads.pull_event(forge, repo, pull, doer, "reviewed", review=told, reviewer=doer),
        )
    return find(forge, pull, id)


def dismiss(forge: Forge, repo: Row, pull: Row, doer: Row, id: int, message: str, dismissed: bool) -> Row:
    """Take a verdict's force, or give it back. No webhook tells it."""
    if forge.level(doer, repo) < ADMIN:
        raise Refused(403, "Must be repo admin")
    review = find(forge, pull, id)
    if review["state"] not in ("APPROVED", "REQUEST_CHANGES"):
        raise Refused(422, "not need to dismiss this review because it's type is not Approve or change request")
    if pull["state"] != "open":
        raise Refused(422, "can't dismiss a review of a closed pull request")
    at = now_ms()
    with forge.store.change():
        forge.store.set("review", id, dismissed=int(dismissed), updated=at)
        if dismissed:
            note(forge, pull, doer, "dismiss_review", message, id)
        else:
            forge.store.set("pull", pull["id"], updated=at)
    return find(forge, pull, id)


def delete(forge: Forge, pull: Row, doer: Row, id: int) -> None:
    """Remove a review for good: its reviewer or an administrator may. No webhook tells it."""
    review = find(forge, pull, id)
    if review["user_id"] != doer["id"] and not doer["is_admin"]:
        raise Refused(403, "you may not delete this review")
    with forge.store.change() as db:
        db.execute("DELETE FROM review WHERE id = ?", (id,))
        db.execute("DELETE FROM comment WHERE review_id = ?", (id,))
        db.execute("DELETE FROM review_comment WHERE review_id = ?", (id,))
        forge.store.set("pull", pull["id"], updated=now_ms())


def people(forge: Forge, logins: object) -> list[Row]:
    """The accounts behind names. Raises Refused(404) for an unknown one."""
    if not isinstance(logins, list):
        raise Refused(422, "reviewers must be a list of names")
    found = []
    for login in logins:
        account = forge.account(str(login))
        if account is None:
            raise Refused(404, f"user does not exist [name: {login}]")
        found.append(account)
    return found


def ask(forge: Forge, repo: Row, pull: Row, doer: Row, reviewers: list[Row]) -> list[Row]:
    """Ask for reviews: a row among them until it is answered; who is waited for already is not asked again.

    The rows that were made. Raises Refused(422) for the author itself or somebody who cannot read.
    """
    for reviewer in reviewers:
        if reviewer["id"] == pull["author_id"]:
            raise Refused(422, "poster of pr can't be reviewer")
        if forge.level(reviewer, repo) < READ:
            raise Refused(422, "Reviewer can't read")
    made = []
    with forge.store.change() as db:
        for reviewer in reviewers:
            pair, at = (pull["id"], reviewer["id"]), now_ms()
            if forge.store.one("SELECT 1 FROM review WHERE pull_id = ? AND user_id = ? AND state = ?", *pair, _ASKED):
                continue
            official = int(forge.level(reviewer, repo) >= WRITE)
            if official:
                db.execute("UPDATE review SET official = 0 WHERE pull_id = ? AND user_id = ?", pair)
            fields = {"pull_id": pair[0], "user_id": pair[1], "state": _ASKED, "body": "", "commit_id": ""}
            made.append(forge.store.add("review", **fields, official=official, created=at, updated=at))
            _tell_request(forge, repo, pull, doer, reviewer, "review_requested")
    return [find(forge, pull, id) for id in made]


def unask(forge: Forge, repo: Row, pull: Row, doer: Row, reviewers: list[Row]) -> None:
    """Take requests back."""
    with forge.store.change() as db:
        for reviewer in reviewers:
            if db.execute(_UNASK, (pull["id"], reviewer["id"])).rowcount:
                _tell_request(forge, repo, pull, doer, reviewer, "review_request_removed")


def _tell_request(forge: Forge, repo: Row, pull: Row, doer: Row, reviewer: Row, action: str) -> None:
    note(forge, pull, doer, "review_request")
    pull = forge.store.one("SELECT * FROM pull WHERE id = ?", pull["id"]) or pull
    payload = payloads.pull_event(forge, repo, pull, doer, action, reviewer=reviewer)
    emit(forge, repo, "pull_request_review_request", payload)

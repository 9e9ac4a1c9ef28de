"""Deliveries of the forge as events, routed by `X-Gitea-Event-Type`, never by `X-Gitea-Event` (which says one word for
two things). Pure and total; redelivery, gaps and who is who are decided in the fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trajectories.events import Event
from trajectories.sources.base import Parsed, RawDelivery, Skipped
from trajectories.sources.gitea.hooks import EVENT_TYPE, EVENT_UUID, fingerprint
from trajectories.sources.gitea.observe import SWEEP, observed
from trajectories.sources.gitea.people import actor, author_of, person
from trajectories.sources.reading import header, moment, part, parts, text, whole

Body = Mapping[str, Any]
# What one delivery says: kind, actor's account, said_at, fields.
Said = tuple[str, Body, int | None, dict[str, Any]]
ZERO = "0" * 40

_VERDICTS = {
    "pull_request_review_approved": "approved",
    "pull_request_review_rejected": "changes_requested",
    "pull_request_review_comment": "commented",
}
_COMMENTS = {"created": "comment.posted", "edited": "comment.edited", "deleted": "comment.deleted"}
_MOST_FILES = 30
_REQUESTS = {"review_requested": "review.requested", "review_request_removed": "review.request_removed"}


def parse(delivery: RawDelivery) -> Parsed:
    """The events of one delivery, or why there are none."""
    body = delivery.body
    if not isinstance(body, Mapping):
        return Skipped("the body is no JSON object")
    sweep = header(delivery.headers, SWEEP)
    if sweep is not None:
        return observed(delivery, sweep, body)
    event_type = header(delivery.headers, EVENT_TYPE) or ""
    reader = _READERS.get(event_type)
    if reader is None:
        return Skipped(f"nothing is read from event type {event_type[:60]!r}" if event_type else "no event type")
    said = reader(event_type, body)
    if isinstance(said, Skipped):
        return said
    kind, account, said_at, fields = said
    return [
        Event(
            at=delivery.at,
            source="gitea",
            seq=delivery.seq,
            id=delivery.id,
            part=0,
            kind=kind,
            actor=actor(account),
            said_at=said_at,
            fields=fields
            | {
                "actor_id": whole(account, "id"),
                "event_uuid": header(delivery.headers, EVENT_UUID),
                # A push may truly happen twice with one body; every other body has times and ids that tell two apart.
                "fingerprint": None if event_type == "push" else fingerprint(event_type, body),
            },
        )
    ]


def _push(event_type: str, body: Body) -> Said | Skipped:
    ref, before, after = (text(body, name) for name in ("ref", "before", "after"))
    if not ref or not before or not after:
        return Skipped("a push without ref, before or after")
    if not ref.startswith("refs/heads/"):
        return Skipped("a push of something that is no branch")
    if after == ZERO:
        return Skipped("a branch deletion is told by the delete event")
    commits = [
        {
            "sha": text(each, "id") or "",
            "title": (text(each, "message") or "").split("\n", 1)[0],
            "actor": author_of(each),
            "files": _files(each),
        }
        for each in parts(body, "commits")
    ]
    fields = {"branch": ref.removeprefix("refs/heads/"), "before": before, "after": after, "commits": commits}
    return "commits.pushed", part(body, "pusher") or part(body, "sender"), None, fields | {"gap": False}


def _files(commit: Body) -> list[str]:
    """The files a commit touched, each once, as far as a page would list them."""
    lists = (commit.get(name) for name in ("added", "modified", "removed"))
    told = [each for listed in lists if isinstance(listed, list) for each in listed if isinstance(each, str)]
    return list(dict.fromkeys(each[:200] for each in told))[:_MOST_FILES]


def _ref(event_type: str, body: Body) -> Said | Skipped:
    name = text(body, "ref")
    if not name or text(body, "ref_type") != "branch":
        return Skipped("no branch was created or deleted")
    kind = "branch.created" if event_type == "create" else "branch.deleted"
    return kind, part(body, "sender"), None, {"branch": name.removeprefix("refs/heads/"), "sha": text(body, "sha")}


def described(pull: Body) -> dict[str, Any]:
    """The fields every event of a pull carries. `sha` is the head's."""
    return {
        "number": whole(pull, "number"),
        "title": text(pull, "title") or "",
        "body": text(pull, "body") or "",
        "head": text(part(pull, "head"), "ref"),
        "base": text(part(pull, "base"), "ref"),
        "sha": text(part(pull, "head"), "sha"),
        **person(part(pull, "user"), "author"),
    }


def _pull(event_type: str, body: Body) -> Said | Skipped:
    pull, sender, action = part(body, "pull_request"), part(body, "sender"), text(body, "action") or ""
    fields = described(pull)
    if fields["number"] is None:
        fields["number"] = whole(body, "number")
    if fields["number"] is None:
        return Skipped("a pull without a number")
    if action == "opened":
        return "pull.opened", part(pull, "user") or sender, moment(pull, "created_at"), fields
    if action == "closed" and pull.get("merged") is True:
        fields["sha"] = text(pull, "merge_commit_sha")
        return "pull.merged", part(pull, "merged_by") or sender, moment(pull, "merged_at"), fields
    if action == "closed":
        return "pull.closed", sender, moment(pull, "closed_at"), fields
    if action in ("reopened", "edited"):
        return f"pull.{action}", sender, None, fields
    return Skipped(f"nothing is read from a pull that was {action[:40]!r}")


def _sync(event_type: str, body: Body) -> Said | Skipped:
    pull = part(body, "pull_request")
    number = whole(pull, "number") or whole(body, "number")
    if number is None or text(body, "action") != "synchronized":
        return Skipped("no pull was pushed to")
    return "pull.pushed", part(body, "sender"), None, {"number": number, "sha": text(part(pull, "head"), "sha")}


def _request(event_type: str, body: Body) -> Said | Skipped:
    kind = _REQUESTS.get(text(body, "action") or "")
    number = whole(body, "number") or whole(part(body, "pull_request"), "number")
    asked = part(body, "requested_reviewer")
    if kind is None or number is None or actor(asked) is None:
        return Skipped("no reviewer was asked for")
    return kind, part(body, "sender"), None, {"number": number, **person(asked, "reviewer")}


def _review(event_type: str, body: Body) -> Said | Skipped:
    number = whole(body, "number") or whole(part(body, "pull_request"), "number")
    if number is None or text(body, "action") != "reviewed":
        return Skipped("no pull was reviewed")
    review = text(part(body, "review"), "content") or ""
    fields = {"number": number, "verdict": _VERDICTS[event_type], "text": review}
    return "review.submitted", part(body, "sender"), None, fields


def _comment(event_type: str, body: Body) -> Said | Skipped:
    comment = part(body, "comment")
    kind = _COMMENTS.get(text(body, "action") or "")
    number = whole(part(body, "pull_request"), "number") or whole(part(body, "issue"), "number")
    if kind is None or number is None or whole(comment, "id") is None:
        return Skipped("no comment of a pull")
    if event_type == "issue_comment" and body.get("is_pull") is not True:
        return Skipped("a comment on an issue, not on a pull")
    fields = {"number": number, "comment": whole(comment, "id"), "text": text(comment, "body") or ""}
    said_at = moment(comment, "created_at") if kind == "comment.posted" else None
    return kind, part(body, "sender"), said_at, fields


_READERS: dict[str, Callable[[str, Body], Said | Skipped]] = {
    "push": _push,
    "create": _ref,
    "delete": _ref,
    "pull_request": _pull,
    "pull_request_sync": _sync,
    "pull_request_review_request": _request,
    **dict.fromkeys(_VERDICTS, _review),
    "pull_request_comment": _comment,
    "issue_comment": _comment,
}

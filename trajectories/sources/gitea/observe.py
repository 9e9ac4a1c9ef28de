"""What a sweep saw, as events: one pull with its reviews, or every branch with its head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.events import Event, iso
from trajectories.sources.base import Parsed, RawDelivery, Skipped
from trajectories.sources.gitea.people import actor, person
from trajectories.sources.reading import moment, part, parts, text, whole

SWEEP = "X-Agensh-Sweep"
_VERDICTS = {"APPROVED": "approved", "REQUEST_CHANGES": "changes_requested", "COMMENT": "commented"}


def observed(delivery: RawDelivery, sweep: str, body: Mapping[str, Any]) -> Parsed:
    """The event of a sweep's delivery."""
    if sweep == "pull":
        fields = _pull(body)
        if fields["number"] is None:
            return Skipped("a sweep of a pull without a number")
        return [_event(delivery, "pull.observed", fields)]
    if sweep == "refs":
        branches = {name: sha for name, sha in part(body, "branches").items() if isinstance(sha, str) and sha}
        return [_event(delivery, "refs.observed", {"branches": branches})]
    return Skipped(f"no sweep is named {sweep[:40]!r}")


def _event(delivery: RawDelivery, kind: str, fields: dict[str, Any]) -> Event:
    return Event(at=delivery.at, source="gitea", seq=delivery.seq, id=delivery.id, part=0, kind=kind, fields=fields)


def _pull(body: Mapping[str, Any]) -> dict[str, Any]:
    pull = part(body, "pull")
    merged = pull.get("merged") is True
    fields = {
        "number": whole(pull, "number"),
        "state": "merged" if merged else text(pull, "state") or "open",
        "title": text(pull, "title") or "",
        "body": text(pull, "body") or "",
        "head": text(part(pull, "head"), "ref"),
        "base": text(part(pull, "base"), "ref"),
        "head_sha": text(part(pull, "head"), "sha"),
        "opened_at": _iso(pull, "created_at"),
        "closed_at": _iso(pull, "closed_at"),
        "merged_at": _iso(pull, "merged_at") if merged else None,
        "sha": text(pull, "merge_commit_sha") if merged else None,
        "conflict": _conflict(body, pull),
        **person(part(pull, "user"), "author"),
        **person(part(pull, "merged_by"), "merged_by"),
    }
    # Absent is not the same as none: without reviews in the body nothing is said of them.
    return fields | ({"reviews": _reviews(body)} if isinstance(body.get("reviews"), list) else {})


def _conflict(body: Mapping[str, Any], pull: Mapping[str, Any]) -> str:
    """The sweep's verdict; from one look alone a pull is free of conflict or unknown, never in conflict."""
    said = text(body, "conflict")
    if said in ("true", "false", "unknown"):
        return str(said)
    return "false" if pull.get("mergeable") is True else "unknown"


def _reviews(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    dismissals = {
        whole(each, "review_id"): each for each in parts(body, "timeline") if text(each, "type") == "dismiss_review"
    }
    newest: dict[Any, int] = {}
    for review in parts(body, "reviews"):
        if text(review, "state") in ("APPROVED", "REQUEST_CHANGES"):
            reviewer = whole(part(review, "user"), "id")
            newest[reviewer] = max(newest.get(reviewer, 0), whole(review, "id") or 0)
    found = []
    for review in parts(body, "reviews"):
        verdict, id = _VERDICTS.get(text(review, "state") or ""), whole(review, "id")
        if verdict is None or id is None:  # PENDING and REQUEST_REVIEW are no reviews yet
            continue
        user = part(review, "user")
        # A reviewer's next verdict takes the force of the one before: Gitea marks that dismissed too, and tells nobody.
        dismissed = review.get("dismissed") is True and (id in dismissals or newest.get(whole(user, "id")) == id)
        by = dismissals.get(id, {}) if dismissed else {}
        found.append(
            {
                "id": id,
                "actor": actor(user),
                "actor_id": whole(user, "id"),
                "verdict": verdict,
                "text": text(review, "body") or "",
                "said_at": _iso(review, "submitted_at"),
                "dismissed": dismissed,
                **person(part(by, "user"), "dismissed_by"),
                "dismissed_at": _iso(by, "created_at"),
                "stale": review.get("stale") is True,
                **_inline(part(body, "comments").get(str(id))),
            }
        )
    return found


def _inline(comments: Any) -> dict[str, Any]:
    """The comments inside a review, where this sweep was the one that read them."""
    if not isinstance(comments, list):
        return {}
    return {
        "inline": [
            {"path": text(each, "path") or "", "line": whole(each, "position"), "text": text(each, "body") or ""}
            for each in comments
            if isinstance(each, Mapping)
        ]
    }


def _iso(value: Mapping[str, Any], name: str) -> str | None:
    at = moment(value, name)
    return None if at is None else iso(at)

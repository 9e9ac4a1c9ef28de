"""What changed about the pulls, as notices for one worker. Pure: two looks in, notices and a memory out."""

from __future__ import annotations

from typing import Any

from worker.inbox import Item

SAID = {"APPROVED": "approved", "REQUEST_CHANGES": "asks for changes to", "COMMENT": "commented on"}


def notices(
    me: str,
    pulls: list[dict[str, Any]],
    reviews: dict[int, list[dict[str, Any]]],
    before: dict[str, Any],
    asked: dict[int, bool] | None = None,
) -> tuple[list[Item], dict[str, Any]]:
    """Notices of everything that is new since `before`, and the memory for the next look. `asked`: of the pulls that name me as a reviewer,
    whether a review of mine is waited for: a forge goes on naming those who have reviewed."""
    found: list[Item] = []
    after = dict(before)
    for pull in sorted(pulls, key=lambda pull: pull["number"]):
        known = before.get(str(pull["number"]), {})
        now = _look(me, pull, reviews.get(pull["number"]), known, (asked or {}).get(pull["number"], True))
        found += _pull_notices(me, pull, reviews.get(pull["number"], []), known, now)
        after[str(pull["number"])] = now
    return found, after


def _look(
    me: str, pull: dict[str, Any], reviews: list[dict[str, Any]] | None, known: dict[str, Any], waited_for: bool
) -> dict[str, Any]:
    requested = names(me, pull) and waited_for
    # A forge tests every open pull anew after a merge and says false meanwhile: only a second look at the same commit is a conflict.
    unmergeable = pull["head"].get("sha") if pull.get("mergeable") is False and pull["state"] == "open" else None
    return {
        "updated": pull.get("updated_at"),
        "unmergeable": unmergeable,
        "mine": pull["user"]["login"] == me,
        "state": "merged" if pull.get("merged") else pull["state"],
        "sha": pull["head"].get("sha"),
        "conflict": unmergeable is not None
        and (unmergeable == known.get("unmergeable") or bool(known.get("conflict"))),
        "requested": requested,
        "asked": known.get("asked", 0) + (requested and not known.get("requested", False)),
        "reviews": known.get("reviews", []) if reviews is None else [review["id"] for review in reviews],
    }


def names(me: str, pull: dict[str, Any]) -> bool:
    """Whether a pull names me among its reviewers."""
    return me in [user["login"] for user in pull.get("requested_reviewers") or [] if user]


def _pull_notices(
    me: str, pull: dict[str, Any], reviews: list[dict[str, Any]], known: dict[str, Any], now: dict[str, Any]
) -> list[Item]:
    number, at = pull["number"], str(pull.get("updated_at"))
    author, name = pull["user"]["login"], f"pull {pull['number']} ({pull['title']})"
    found: list[Item] = []

    def tell(item: str, sender: str, text: str, when: str = at) -> None:
        found.append(Item("repo", f"pull-{number}-{item}", sender, text, when))

    if now["asked"] > known.get("asked", 0) and now["state"] == "open":
        tell(f"asked-{now['asked']}", author, f"{author} asks for your review of {name}")
    elif author != me and known.get("asked") and now["sha"] != known.get("sha") and now["state"] == "open":
        tell(f"pushed-{now['sha']}", author, f"{name} has new commits since you were asked to review it")
    if author != me:
        return found
    for review in reviews:
        reviewer = (review.get("user") or {}).get("login") or "somebody"
        if review["id"] not in known.get("reviews", []) and reviewer != me:
            text = f"{reviewer} {SAID[review['state']]} {name}: {(review.get('body') or '')[:500]}"
            tell(f"review-{review['id']}", reviewer, text, str(review.get("submitted_at") or at))
    if now["state"] == "merged" and known.get("state") != "merged":
        merger = (pull.get("merged_by") or {}).get("login") or "somebody"
        if merger != me:
            tell("merged", merger, f"{merger} merged {name}")
    elif now["state"] == "closed" and known.get("state") == "open":
        tell(f"closed-{now['sha']}", "forge", f"{name} was closed without merging")
    if now["conflict"] and not known.get("conflict"):
        tell(f"conflict-{now['sha']}-{at}", "forge", f"{name} conflicts with main: rebase it")
    return found

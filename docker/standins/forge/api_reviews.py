"""Reviews and review requests of a pull."""

from __future__ import annotations

from standins.forge import reviews, shapes
from standins.forge.api_pulls import pull_of
from standins.forge.forge import Forge, Row
from standins.forge.handlers import HANDLERS, need_user, paged, repo_of
from standins.web import Answer, Call

_PULL = "/repos/{owner}/{repo}/pulls/{index}"


def _at(forge: Forge, call: Call) -> tuple[Row, Row]:
    repo = repo_of(forge, call)
    return repo, pull_of(forge, repo, call)


@HANDLERS("GET", _PULL + "/reviews")
def list_reviews(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    rows = forge.store.all("SELECT * FROM review WHERE pull_id = ? ORDER BY id", pull["id"])
    return paged(call, rows, lambda row: shapes.review(forge, repo, pull, row))


@HANDLERS("POST", _PULL + "/reviews")
def submit(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    doer = need_user(call)
    said = {name: call.text(name) for name in ("event", "body", "commit_id")}
    made = reviews.submit(forge, repo, pull, doer, **said, comments=call.body.get("comments") or [])
    return Answer(shapes.review(forge, repo, pull, made))


@HANDLERS("GET", _PULL + "/reviews/{id}")
def get_review(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    return Answer(shapes.review(forge, repo, pull, reviews.find(forge, pull, call.params["id"])))


@HANDLERS("GET", _PULL + "/reviews/{id}/comments")
def list_comments(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    review = reviews.find(forge, pull, call.params["id"])
    rows = forge.store.all("SELECT * FROM review_comment WHERE review_id = ? ORDER BY id", review["id"])
    return Answer([shapes.inline_comment(forge, repo, pull, row) for row in rows])


@HANDLERS("DELETE", _PULL + "/reviews/{id}")
def delete(forge: Forge, call: Call) -> Answer:
    _, pull = _at(forge, call)
    reviews.delete(forge, pull, need_user(call), call.params["id"])
    return Answer(status=204)


@HANDLERS("POST", _PULL + "/reviews/{id}/dismissals")
def dismiss(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    done = reviews.dismiss(forge, repo, pull, need_user(call), call.params["id"], call.text("message"), True)
    return Answer(shapes.review(forge, repo, pull, done))


@HANDLERS("POST", _PULL + "/reviews/{id}/undismissals")
def undismiss(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    done = reviews.dismiss(forge, repo, pull, need_user(call), call.params["id"], "", False)
    return Answer(shapes.review(forge, repo, pull, done))


@HANDLERS("POST", _PULL + "/requested_reviewers")
def ask(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    people = reviews.people(forge, call.body.get("reviewers"))
    made = reviews.ask(forge, repo, pull, need_user(call), people)
    return Answer([shapes.review(forge, repo, pull, row) for row in made], 201)


@HANDLERS("DELETE", _PULL + "/requested_reviewers")
def unask(forge: Forge, call: Call) -> Answer:
    repo, pull = _at(forge, call)
    reviews.unask(forge, repo, pull, need_user(call), reviews.people(forge, call.body.get("reviewers")))
    return Answer(status=204)

"""Rows as Gitea shows them: the keys of its swagger, plus those its webhooks add (`username`)."""

from __future__ import annotations

from standins.forge.shapes.people import full_name, organization, token, user, when
from standins.forge.shapes.pulls import is_draft, issue, mergeable, pull, requested
from standins.forge.shapes.repos import api_commit, branch, hook, payload_commit, reference, repository
from standins.forge.shapes.talk import comment, inline_comment, review, timeline

__all__ = [
    "api_commit",
    "branch",
    "comment",
    "full_name",
    "hook",
    "inline_comment",
    "is_draft",
    "issue",
    "mergeable",
    "organization",
    "payload_commit",
    "pull",
    "reference",
    "repository",
    "requested",
    "review",
    "timeline",
    "token",
    "user",
    "when",
]

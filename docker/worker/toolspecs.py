"""The tools of a worker by name: what each says of itself and which arguments it takes (JSON Schema). Pure data."""

from __future__ import annotations

from typing import Any

NOTE_TYPES = ["OBSERVED", "FACT", "FAIL", "CLAIM", "PATCH_SUMMARY"]
VERDICTS = ["approve", "request_changes", "comment"]

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer", "description": "number of the pull"}


def _schema(required: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


BOARD: dict[str, tuple[str, dict[str, Any]]] = {
    "board_read": (
        "Live notes of the board, oldest first; with `after` only those with a higher id.",
        _schema(after={"type": "integer", "description": "note id; 0 or absent = everything live"}),
    ),
    "board_write": (
        "Write a typed note. CLAIM takes 100 characters; PATCH_SUMMARY 300, as `files= .. | idea= .. | evidence= ..`; "
        "longer text goes into `detail`.",
        _schema(
            "type text",
            type={"type": "string", "enum": NOTE_TYPES},
            text=_TEXT,
            detail={"type": "string", "description": "longer text, folded"},
            delegation_id={"type": "string", "description": "id of the sub-task"},
        ),
    ),
    "board_grep": (
        'Search all notes: words, "phrases", AND, OR, NOT and brackets; type:CLAIM and by:w0001 narrow.',
        _schema("query", query=_TEXT),
    ),
    "board_unfold": ("Open the detail of a note.", _schema("note", note={"type": "integer"})),
}

CHAT: dict[str, tuple[str, dict[str, Any]]] = {
    "chat_post": ("Post to the team's channel. Peers read it between turns.", _schema("text", text=_TEXT)),
    "chat_direct": (
        "Send a direct message to one peer; it arrives in the middle of its work.",
        _schema("to text", to={"type": "string", "description": "name of the peer"}, text=_TEXT),
    ),
    "chat_read": (
        "Messages of the channel and your direct messages, oldest first; with `after` only what came later.",
        _schema(after={"type": "integer", "description": "`upto` of an earlier answer"}),
    ),
}

REPO: dict[str, tuple[str, dict[str, Any]]] = {
    "repo_pulls": (
        "Pull requests with their reviews, by number.",
        _schema(state={"type": "string", "enum": ["open", "closed", "merged", "all"], "description": "default all"}),
    ),
    "repo_pull": ("One pull request with its commits and files.", _schema("number", number=_NUMBER)),
    "repo_open_pull": (
        "Open a pull request from a pushed branch into main.",
        _schema(
            "branch title body",
            branch=_TEXT,
            title=_TEXT,
            body=_TEXT,
            claim={"type": "integer", "description": "id of your CLAIM note"},
        ),
    ),
    "repo_request_review": (
        "Ask peers to review a pull.",
        _schema("number reviewers", number=_NUMBER, reviewers={"type": "array", "items": _TEXT}),
    ),
    "repo_review": (
        "Review a pull. Approve only what you ran.",
        _schema("number verdict text", number=_NUMBER, verdict={"type": "string", "enum": VERDICTS}, text=_TEXT),
    ),
    "repo_dismiss_own_review": ("Take back your standing reviews of a pull.", _schema("number", number=_NUMBER)),
    "repo_merge": ("Merge a pull into main.", _schema("number", number=_NUMBER)),
    "repo_close": (
        "Close a pull without merging and say why.",
        _schema("number reason", number=_NUMBER, reason=_TEXT),
    ),
}

"""What of an event can be searched: notes, messages, pulls, reviews, commits and steps, as text with who, when and which. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.search.folding import composed

KINDS = ("note", "message", "pull", "review", "commit", "step", "turn")
LONGEST = 4_000  # characters of one document
Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Document:
    """`n` = the event's number, `at` ms, `worker` = number or 0, `actor` where the source names one; `text` is composed."""

    n: int
    at: int
    kind: str
    worker: int
    actor: str | None
    text: str


def _joined(*names: str) -> Callable[[Fields], str]:
    return lambda fields: "\n".join(str(fields[name]) for name in names if fields.get(name))


def _commits(fields: Fields) -> str:
    titles = [str(commit.get("title") or "") for commit in fields.get("commits") or [] if isinstance(commit, Mapping)]
    return "\n".join([*titles, str(fields.get("branch") or "")]) if titles else ""


def _step(fields: Fields) -> str:
    tool, title = str(fields.get("tool") or ""), str(fields.get("title") or "")
    return title if title.startswith(tool) else f"{tool} {title}"


_pull = _joined("title", "body", "head")
#: event kind -> (kind of document, its text). An event whose text is empty is no document.
TEXTS: dict[str, tuple[str, Callable[[Fields], str]]] = {
    "note.posted": ("note", _joined("type", "text", "detail", "delegation_id")),
    "note.refused": ("note", _joined("type", "text", "reason")),
    "message.posted": ("message", _joined("text")),
    "message.edited": ("message", _joined("text")),
    "pull.opened": ("pull", _pull),
    "pull.edited": ("pull", _pull),
    "review.submitted": ("review", _joined("text")),
    "comment.posted": ("review", _joined("text")),
    "comment.edited": ("review", _joined("text")),
    "commits.pushed": ("commit", _commits),
    "step.started": ("step", _step),
    "turn.finished": ("turn", _joined("error")),
}


def document(n: int, at: int, kind: str, worker: int | None, actor: str | None, fields: Fields) -> Document | None:
    """The document of an event, if it is one."""
    known = TEXTS.get(kind)
    if known is None:
        return None
    text = known[1](fields).strip()[:LONGEST]
    return Document(n, at, known[0], worker or 0, actor, composed(text)) if text else None

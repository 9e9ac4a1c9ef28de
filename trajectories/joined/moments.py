"""One event as a line people read: glyph, what happened, who, the words. A registry by kind; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trajectories.sources.gitea import SWEPT

Fields = Mapping[str, Any]
Line = tuple[str, str, str, str]  # glyph, tone, what happened, text


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of a story. `t` is seconds since run.started; `who` a worker's number or None; `text` was written by agents."""

    t: float
    glyph: str
    tone: str
    what: str
    who: int | None
    actor: str | None
    text: str
    ref: str
    source: str
    id: str
    kind: str


TITLES = 5  # commits of a push that are named
VERDICTS = {
    "approved": ("approved", "good", "Approved"),
    "changes_requested": ("changes", "warn", "Changes requested"),
    "commented": ("message", "ink", "Commented"),
}
CONFLICTS = {"true": "in conflict with its base", "false": "no conflict with its base"}
TRIGGERS = {
    "first": "the task and the team's rules",
    "inbox": "something had come in",
    "nudge": "nudged after idling",
    "reminder": "reminded of the time left",
    "recap": "told again what it knew",
}
STOPS = {
    "cancelled": "cut short",
    "max_tokens": "its tokens were used up",
    "max_turn_requests": "its requests were used up",
    "refusal": "the model refused",
}
ACTIONS = {
    "nudge": "Nudge to{} asked for",
    "stop_worker": "Stop of{} asked for",
    "cancel": "Run cancelled",
    "end": "Early end asked for",
}
NOTES = {"CLAIM": ("note", "active"), "FAIL": ("dead", "bad"), "PATCH_SUMMARY": ("merged", "ink")}


def _note(fields: Fields) -> Line:
    kind = str(fields.get("type"))
    glyph, tone = NOTES.get(kind, ("note", "ink"))
    detail = fields.get("detail")
    text = f"{fields.get('text') or ''}\n{detail}" if detail else str(fields.get("text") or "")
    return glyph, tone, f"{kind} note n{fields.get('note')}", text


def _commits(fields: Fields) -> Line:
    commits = fields.get("commits") or []
    told = [str(commit.get("title") or "") for commit in commits if isinstance(commit, Mapping)]
    more = [f"and {len(told) - TITLES} more"] if len(told) > TITLES + 1 else []
    titles = "\n".join([*(told[:TITLES] if more else told), *more])
    count = f"{len(commits)} commit{'' if len(commits) == 1 else 's'}"
    return "commit", "ink", f"{count} on {fields.get('branch')}", titles


def _message(fields: Fields) -> Line:
    to = ", ".join(_login(name) for name in fields.get("to") or [])
    what = f"Direct message to {to}" if fields.get("kind") == "direct" else "Posted in the channel"
    return "message", "ink", what, str(fields.get("text") or "")


def _login(actor: Any) -> str:
    """`w0003` of `gitea:w0003`: the service is plain from the line."""
    return str(actor).rpartition(":")[2]


def _asked(what: str) -> Callable[[Fields], Line]:
    def line(fields: Fields) -> Line:
        return "reviewer", "ink", what.format(fields.get("number"), _login(fields.get("reviewer"))), ""

    return line


def _review(fields: Fields) -> Line:
    glyph, tone, what = VERDICTS.get(str(fields.get("verdict")), ("message", "ink", "Reviewed"))
    return glyph, tone, f"{what} #{fields.get('number')}", str(fields.get("text") or "")


def _grouped(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _score(fields: Fields) -> Line:
    if fields.get("passed") is None or not fields.get("total"):
        return (
            "score",
            "quiet",
            f"Checkpoint {fields.get('checkpoint')} has no score",
            str(fields.get("error_code") or ""),
        )
    return "score", "ink", f"Score {_grouped(fields['passed'])} of {_grouped(fields['total'])} tests", ""


def _exit(fields: Fields) -> Line:
    if fields.get("expected"):
        return "ended", "quiet", "Process ended as expected", ""
    cause = (
        "at the memory ceiling" if fields.get("oom") else f"signal {fields['signal']}" if fields.get("signal") else ""
    )
    return "dead", "bad", "Process died", f"code {fields.get('code')} {cause}".strip()


def _plain(glyph: str, tone: str, what: str, text: str = "") -> Callable[[Fields], Line]:
    """A sentence with fields in braces; missing and empty ones read as unknown."""

    class Known(dict[str, Any]):
        def __missing__(self, key: str) -> str:
            return "unknown"

    def line(fields: Fields) -> Line:
        known = Known({name: value for name, value in fields.items() if value is not None})
        return glyph, tone, what.format_map(known), text.format_map(known) if text else ""

    return line


def _observed(fields: Fields) -> Line:
    """The forge says nothing of conflicts, dismissals and deletions: it is asked."""
    conflict = CONFLICTS.get(str(fields.get("conflict")), "")
    said = ", ".join(filter(None, [str(fields.get("state") or "state unknown"), conflict]))
    return "search", "quiet", f"The forge was asked about #{fields.get('number')}", f"{said}\n{SWEPT}"


def _joined(fields: Fields) -> Line:
    life = fields.get("life")
    again = f", process {life} of this worker" if isinstance(life, int) and life > 1 else ""
    return "working", "active", f"Joined the team{again}", ""


def _action(fields: Fields) -> Line:
    """What a person did, in words; the target is a worker's name or nothing."""
    action = str(fields.get("action"))
    done = ACTIONS.get(action, f"{action.replace('_', ' ')} asked for")
    target = f" {fields['target']}" if fields.get("target") else ""
    return "person", "ink", f"{done.format(target)} by {fields.get('person') or 'somebody'}", ""


def _turn(fields: Fields) -> str:
    """A turn by its number, where its item said one."""
    return "A turn" if fields.get("turn") is None else f"Turn {fields['turn']}"


def _turn_started(fields: Fields) -> Line:
    trigger = str(fields.get("trigger"))
    return "play", "quiet", f"{_turn(fields)} began: {TRIGGERS.get(trigger, trigger)}", ""


def _turn_finished(fields: Fields) -> Line:
    reason, error = str(fields.get("stop_reason") or "unknown"), fields.get("error")
    why = "" if reason == "end_turn" and not error else f": {STOPS.get(reason, reason.replace('_', ' '))}"
    return "pause", "quiet", f"{_turn(fields)} ended{why}", str(error or "")


LINES: dict[str, Callable[[Fields], Line]] = {
    "note.posted": _note,
    "note.refused": _plain("closed", "warn", "Note refused: {reason}", "{text}"),
    "message.posted": _message,
    "message.edited": _message,
    "commits.pushed": _commits,
    "branch.created": _plain("commit", "quiet", "Branch {branch} created"),
    "branch.deleted": _plain("commit", "quiet", "Branch {branch} deleted"),
    "pull.opened": _plain("pull", "active", "Pull #{number} opened", "{title}"),
    "pull.edited": _plain("pull", "ink", "Pull #{number} edited", "{title}"),
    "pull.pushed": _plain("commit", "ink", "New commits in #{number}"),
    "pull.closed": _plain("closed", "quiet", "Pull #{number} closed without merging"),
    "pull.reopened": _plain("pull", "active", "Pull #{number} reopened"),
    "pull.merged": _plain("merged", "good", "Pull #{number} merged"),
    "pull.observed": _observed,
    "review.requested": _asked("Review of #{} asked of {}"),
    "review.request_removed": _asked("The request on #{} to {} taken back"),
    "review.submitted": _review,
    "comment.posted": _plain("message", "ink", "Comment on #{number}", "{text}"),
    "comment.edited": _plain("message", "ink", "Comment on #{number} edited", "{text}"),
    "comment.deleted": _plain("message", "quiet", "Comment on #{number} deleted"),
    "checkpoint.scored": _score,
    "worker.enrolled": _plain("waiting", "quiet", "Enrolled", "{harness} on {model}, {node}"),
    "worker.joined": _joined,
    "worker.exited": _exit,
    "worker.silent": _plain("stalled", "odd", "Fell silent"),
    "worker.heard": _plain("working", "active", "Heard again"),
    "action.taken": _action,
    "session.opened": _plain("key", "quiet", "Agent session opened", "{harness}"),
    "turn.started": _turn_started,
    "turn.finished": _turn_finished,
    "nudge.sent": _plain("nudged", "warn", "Nudged after idling"),
    "reminder.sent": _plain("lag", "warn", "Reminded: {minutes_left} min left"),
}


def moment(event: Mapping[str, Any], t: float) -> Moment:
    """The line of an event in the API's form (`replay.shown`). An unknown kind shows its name."""
    glyph, tone, what, text = LINES.get(event["kind"], _plain("note", "quiet", event["kind"]))(event["fields"])
    return Moment(
        t=t,
        glyph=glyph,
        tone=tone,
        what=what,
        who=event["worker"],
        actor=event["actor"],
        text=text.strip(),
        ref=event["ref"],
        source=event["source"],
        id=event["id"],
        kind=event["kind"],
    )

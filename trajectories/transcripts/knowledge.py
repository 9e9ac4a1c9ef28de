"""What a worker knew at a moment: every note, message and notice there was by then, and how far each had come to it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.http import Http404

from trajectories import replay
from trajectories.events import RANKS, millis
from trajectories.models import EventRow, Stream
from trajectories.models.roster import roster
from trajectories.transcripts.heard import moved
from trajectories.transcripts.notices import notice
from trajectories.transcripts.reach import STATES

LISTED = 120  # of what is known, and of what is not, a feed
MOMENTS = 4_000
Row = dict[str, Any]


def knowledge(run_id: int, worker: int, seconds: float | None) -> dict[str, Any]:
    """`{"told", "t", "end", "worker", "feeds": {feed: {"known", "unknown", "lately": [..], "not_yet": [..]}}, "moments": [t, ..]}`.

    `told` = the worker's tap tells of its inbox. A row has `item, t, from, text, states: {state: t}, state` and, for notes, `type`. Moments are when something was shown to the worker.
    """
    stream = Stream.of(run_id)
    zero = stream.t0 or 0
    newest = EventRow.objects.filter(run_id=run_id).order_by("-at").values_list("at", flat=True).first() or zero
    end = (newest - zero) / 1000
    t = end if seconds is None else seconds
    until = zero + round(t * 1000)
    tables = replay.some(run_id, t, "workers", "notes", "pulls")
    row = tables["workers"].get(worker)
    if row is None:
        raise Http404(f"At that moment this run had no worker {worker}.")
    moves = [(event.at, event.fields) for event in moved(run_id, worker)]
    shown_at = sorted({round((at - zero) / 1000, 3) for at, fields in moves if fields.get("state") == "shown"})
    moves = [move for move in moves if move[0] <= until]
    seen = row.get("board_seen") or 0
    feeds = {"board": _board(tables["notes"], worker, seen, moves, zero)}
    direct, channel = _messages(run_id, worker, until, zero)
    feeds["direct"] = _walked(direct, [m for m in moves if m[1].get("feed") == "direct"], zero)
    feeds["channel"] = _walked(channel, [m for m in moves if m[1].get("feed") == "channel"], zero)
    feeds["repo"] = _notices([m for m in moves if m[1].get("feed") == "repo"], zero, tables["pulls"])
    head = {"t": t, "end": end, "worker": worker, "status": row["status"], "claim": row["current_claim"]}
    head |= {"board_seen": seen, "told": bool(moves or shown_at)}
    return {**head, "feeds": {name: _told(rows) for name, rows in feeds.items()}, "moments": shown_at[-MOMENTS:]}


def _told(rows: list[Row]) -> dict[str, Any]:
    known = [row for row in rows if row["known"]]
    not_yet = [row for row in rows if not row["known"]]
    lately = sorted(known, key=lambda row: (row["states"].get("shown") or row["t"], row["t"]))[-LISTED:]
    return {"known": len(known), "unknown": len(not_yet), "lately": lately[::-1], "not_yet": not_yet[-LISTED:][::-1]}


def _board(notes: dict[str, Any], worker: int, seen: int, moves: Iterable[tuple[int, Any]], zero: int) -> list[Row]:
    rows = {}
    for note in sorted(notes.values(), key=lambda note: note["note"]):
        gone = (
            "invalidated"
            if note["invalidated_by"]
            else "replaced"
            if note["replaced_by"]
            else "hidden"
            if note["hidden_at"]
            else ""
        )
        rows[note["note"]] = {
            **_row(
                note["note"], (millis(note["at"]) - zero) / 1000 if note["at"] else 0.0, note["worker"], note["text"]
            ),
            "type": note["type"],
            "gone": gone,
            "own": note["worker"] == worker,
            "read": note["note"] <= seen,
        }
    numbers = list(rows)
    for at, fields in moves:
        first, last = fields.get("from"), fields.get("upto")
        if fields.get("feed") == "board" and type(first) is int and type(last) is int:
            for number in numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]:
                if not rows[number]["own"]:
                    _step(rows[number], str(fields.get("state")), (at - zero) / 1000)
    for row in rows.values():
        row["known"] = row["own"] or row["read"] or row["known"]
    return list(rows.values())


def _messages(run_id: int, worker: int, until: int, zero: int) -> tuple[list[Row], list[Row]]:
    """Direct messages to the worker and channel posts, its own among them, in order of time."""
    known = roster(run_id)
    found = EventRow.objects.filter(run_id=run_id, rank=RANKS["mattermost"], kind="message.posted", at__lte=until)
    direct, channel = [], []
    for at, actor, text in found.order_by("at", "key").values_list("at", "actor", "fields"):
        fields = orjson.loads(text)
        author = known.get(actor or "")
        to = {known.get(str(name), known.get(f"mattermost:{name}")) for name in fields.get("to") or []}
        is_direct = fields.get("kind") == "direct"
        if is_direct and worker not in to and author != worker:
            continue
        row = _row(
            fields.get("message"), (at - zero) / 1000, author if author is not None else actor, fields.get("text")
        )
        row["own"] = row["known"] = author == worker
        row["to"] = sorted(number for number in to if number is not None) if is_direct else []
        (direct if is_direct else channel).append(row)
    return direct, channel


def _walked(rows: list[Row], moves: Iterable[tuple[int, Any]], zero: int) -> list[Row]:
    """A move names the first and last message of a stretch; the worker's own were never in its inbox."""
    order = {row["item"]: k for k, row in enumerate(rows)}
    for at, fields in moves:
        first, last = order.get(fields.get("from")), order.get(fields.get("upto"))
        if first is None or last is None:
            continue
        for row in rows[min(first, last) : max(first, last) + 1]:
            if not row["own"]:
                _step(row, str(fields.get("state")), (at - zero) / 1000)
    return rows


def _notices(moves: Iterable[tuple[int, Any]], zero: int, pulls: Mapping[int, Any]) -> list[Row]:
    """Notices are known by their moves alone."""
    rows: dict[str, Row] = {}
    for at, fields in moves:
        for item in dict.fromkeys([str(fields.get("from")), str(fields.get("upto"))]):
            t = (at - zero) / 1000
            _step(rows.setdefault(item, _row(item, t, None, notice(item, pulls))), str(fields.get("state")), t)
    return list(rows.values())


def _row(item: Any, t: float, author: Any, text: Any) -> Row:
    return {
        "item": item,
        "t": t,
        "from": author,
        "text": str(text or ""),
        "states": {},
        "state": None,
        "known": False,
        "own": False,
    }


def _step(row: Row, state: str, t: float) -> None:
    """A second delivery after a crash shows as the present state; what was shown once is known."""
    if state in STATES:
        row["state"] = state
        row["states"].setdefault(state, t)
        row["known"] = row["known"] or state in ("shown", "acknowledged")

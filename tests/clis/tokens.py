"""Each turn's tokens beside the gateway's: what an agent said it used, and what its requests in that turn were metered at. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

FIGURES = ("input_tokens", "cached_tokens", "output_tokens")
#: Whose usage holds its own requests for a summary of the conversation; the others leave them out.
COUNTS_SUMMARIES = frozenset({"codex"})
#: Why the two may differ. A turn with none of these must be equal. `runs/harnesses/README.md` says the same.
CAUSES = {
    "cancelled": "the turn was cancelled",
    "failed": "the turn failed",
    "unfinished": "the worker ended in the turn",
    "tried again": "a request of the turn broke and was asked again",
    "summarised": "the conversation was summarised in the turn, and the one request before it is not counted",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. `said` is None where the agent said nothing; `why` is a key of CAUSES, or empty for a turn that ended normally.

    `aside` = input and output tokens of requests that this agent does not count: in the gateway's book only.
    """

    worker: int
    life: int
    number: int
    said: dict[str, int] | None
    metered: dict[str, int]
    aside: int
    why: str

    @property
    def equal(self) -> bool:
        """Whether both say the same."""
        return self.said == self.metered


def compared(events: Iterable[Mapping[str, Any]], harness: str) -> list[Turn]:
    """Every turn of the events of one worker (`turn.*`, `usage.reported`, `request.metered` as `run_events --jsonl` gives them).

    A report with scope `session` holds the session so far: the turn's is the difference from the one before.
    """
    found = sorted(events, key=lambda event: (event["at"], event["source"], event["seq"]))
    requests = [event for event in found if event["kind"] == "request.metered"]
    begins = [event for event in found if event["kind"] == "turn.started"]
    theirs = _requests([event["at"][:23] for event in begins], requests)
    before: dict[tuple[int, Any], dict[str, int]] = {}
    said: dict[int, dict[str, int]] = {}
    why = dict.fromkeys(range(len(begins)), "unfinished")
    turn = -1
    for event in found:
        kind, fields = event["kind"], event["fields"]
        turn += kind == "turn.started"
        if kind == "usage.reported" and fields["input_tokens"] is not None:
            figures = {name: int(fields[name] or 0) for name in FIGURES}
            if fields["scope"] == "session":
                session = (_life(event), fields["session"])
                last = before.get(session, dict.fromkeys(FIGURES, 0))
                before[session], figures = figures, {name: figures[name] - last[name] for name in FIGURES}
            said[turn] = figures
        elif kind == "turn.finished" and turn >= 0:
            why[turn] = "failed" if fields["error"] else "cancelled" if fields["stop_reason"] == "cancelled" else ""
    counted = {"work", "compaction"} if harness in COUNTS_SUMMARIES else {"work"}
    return [_turn(begun, said.get(n), theirs[n], why[n], counted) for n, begun in enumerate(begins)]


def _turn(
    begun: Mapping[str, Any], said: dict[str, int] | None, mine: list[Mapping[str, Any]], why: str, counted: set[str]
) -> Turn:
    work = [row for row in mine if row["purpose"] in counted]
    each = [{name: int(row[name] or 0) for name in FIGURES} for row in work]
    metered = {name: sum(row[name] for row in each) for name in FIGURES}
    aside = sum(int(row[name] or 0) for row in mine if row not in work for name in ("input_tokens", "output_tokens"))
    if not why and said != metered and any(row["status"] != 200 for row in work):
        why = "tried again"
    if not why and said is not None and said != metered and any(row["purpose"] == "compaction" for row in mine):
        left_out = {name: metered[name] - said[name] for name in FIGURES}
        why = "summarised" if left_out in each else ""
    return Turn(begun["worker"], _life(begun), begun["fields"]["turn"], said, metered, aside, why)


def _requests(turns: list[str], requests: list[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The requests of each turn, by when they were asked: the turn may be over before the gateway has written its row."""
    found: list[list[Mapping[str, Any]]] = [[] for _ in turns]
    for row in requests:
        asked = datetime.fromisoformat(row["at"]) - timedelta(milliseconds=row["fields"]["took_ms"] - 1)
        place = bisect_right(turns, asked.isoformat(timespec="milliseconds")[:23]) - 1
        if place >= 0:
            found[place].append(row["fields"])
    return found


def _life(event: Mapping[str, Any]) -> int:
    """An event of a worker has the id `{worker}-{life}-{item}`."""
    return int(str(event["id"]).split("-")[1])

"""ACP batches as events: each item by itself, so that cutting batches another way gives the same events. Pure and total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trajectories.events import KINDS, Event
from trajectories.sources.acp.agent import said_by_agent
from trajectories.sources.acp.item import Item, Said, count
from trajectories.sources.base import Parsed, RawDelivery, Skipped

_event = tuple.__new__  # an Event of values known to be all there, without the check of its arguments
_LOOP_KINDS = frozenset(
    ["session.opened", "turn.started", "turn.finished", "inbox.moved", "nudge.sent", "reminder.sent"]
)


def parse(delivery: RawDelivery) -> Parsed:
    """The events of a batch's items, in order; Skipped where none of them says anything we keep."""
    body = delivery.body
    if not isinstance(body, dict) or not isinstance(body.get("items"), list):
        return Skipped("the body is no batch")
    worker, life = count(body.get("worker")), count(body.get("life"))
    if not worker or not life:
        return Skipped("worker and life must be positive numbers")
    harness = delivery.headers.get("X-Agensh-Harness", "").partition("/")[0].casefold()
    item = Item(worker, life, harness, delivery.skew_ms)
    events: list[Event] = []
    unknown: list[str] = []
    for raw in body["items"]:
        if not item.read(raw):
            unknown.append("item")
            continue
        for part, (kind, fields) in enumerate(_said(item, unknown)):
            row = (item.at, "acp", item.n, f"{item.head}{item.n}", part, kind, worker, None, None, fields)
            events.append(_event(Event, row))
    if events:
        return events
    return Skipped("no item says anything we keep" + (f": {', '.join(sorted(set(unknown)))[:200]}" if unknown else ""))


def _said(item: Item, unknown: list[str]) -> Iterable[Said]:
    """What one item says. A message that cannot be read says nothing; `unknown` gets the name of what we do not know."""
    if type(item.msg) is not dict:
        return ()
    try:
        if item.dir == "from_agent":
            return said_by_agent(item, unknown)
        if item.dir == "loop":
            return _loop(item.msg, item)
        if item.dir == "to_agent":
            return _answered(item.msg)
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError):
        unknown.append("broken message")
    return ()


def _loop(msg: Mapping[str, Any], item: Item) -> list[Said]:
    """A line of the loop itself. What it leaves out of its place in the life, the item's stamp says."""
    kind = msg.get("kind")
    if kind not in _LOOP_KINDS:
        return []
    stamp = {"life": item.life, "session": item.session, "turn": item.turn}
    return [(str(kind), {name: msg.get(name, stamp.get(name)) for name in KINDS[str(kind)].fields})]


def _answered(msg: Mapping[str, Any]) -> list[Said]:
    """Our answer to a permission request. Which step it was for is in the request, another item: the answer alone cannot know."""
    result = msg.get("result")
    outcome = result.get("outcome") if isinstance(result, dict) else None
    if not isinstance(outcome, dict):
        return []
    said = outcome.get("optionId") if outcome.get("outcome") == "selected" else outcome.get("outcome")
    return [("permission.answered", {"step": None, "outcome": str(said)[:100]})]

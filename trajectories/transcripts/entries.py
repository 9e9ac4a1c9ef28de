"""ACP items folded into entries people read: prompts, texts, steps, plans, permissions, what was delivered, ends. Pure.

An entry is `{"id": "life-n", "kind", "t": s since run.started, "turn", "session", "upto": last item merged, ..}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajectories.transcripts.items import Item
from trajectories.transcripts.outputs import delivered
from trajectories.transcripts.steps import Step, agent_of
from trajectories.transcripts.texts import clipped, listed, mapping, text_of

_CHUNKS = {"agent_message_chunk": "answer", "agent_thought_chunk": "thought"}
_QUIET = (
    "initialize",
    "session/new",
    "session/load",
    "session/resume",
    "session/set_mode",
    "session/set_config_option",
)
_LOOP = ("session.opened", "turn.started", "turn.finished", "nudge.sent", "reminder.sent")


class Entries:
    """Takes items in order. Items after `last` only complete what began before."""

    def __init__(self, life: int, zero: int, last: int, clip: int | None) -> None:
        self.life, self.zero, self.last, self.clip = life, zero, last, clip
        self.rows: list[dict[str, Any]] = []
        self.steps: dict[tuple[int, str, str], Step] = {}
        self.made: list[tuple[dict[str, Any], Step]] = []
        self.newest: dict[tuple[int, str], Step] = {}  # of each call id, whoever made it
        self.asked: dict[Any, Step] = {}
        self.text: dict[str, Any] | None = None  # the text that the next chunk may go on
        self.loading: Any = None  # id of a session/load: what comes before its answer is told again

    @property
    def is_open(self) -> bool:
        """Some step that began here has no end yet."""
        return any(step.is_open for _, step in self.made)

    def finished(self) -> list[dict[str, Any]]:
        """The entries, steps filled in."""
        for row, step in self.made:
            row |= {**step.told(self.clip), "upto": step.upto}
        for row in self.rows:
            if "said" in row:
                row |= clipped(row.pop("said"), self.clip)
        return self.rows

    def take(self, item: Item) -> None:
        """One item."""
        late = item.n > self.last
        msg = item.msg
        if item.dir == "noise":
            self._noise(item, late)
        elif not isinstance(msg, Mapping):
            return
        elif item.dir == "loop":
            self._loop(item, msg, late)
        elif item.dir == "to_agent":
            self._to_agent(item, msg, late)
        elif item.dir == "from_agent":
            self._from_agent(item, msg, late)

    def _add(self, item: Item, kind: str, late: bool = False, **fields: Any) -> dict[str, Any]:
        row = {"id": f"{self.life}-{item.n}", "kind": kind, "t": (item.at - self.zero) / 1000, "upto": item.n}
        row |= {"turn": item.turn, "session": item.session, **fields}
        if self.loading is not None:
            row["again"] = True
        if not late:
            self.rows.append(row)
            self.text = None
        return row

    def _noise(self, item: Item, late: bool) -> None:
        last = self.rows[-1] if self.rows else None
        if last and last["kind"] == "noise" and not late:
            last["said"] += f"\n{item.msg}"
            last["upto"] = item.n
        else:
            self._add(item, "noise", late, said=str(item.msg))

    def _loop(self, item: Item, msg: Mapping[str, Any], late: bool) -> None:
        kind = str(msg.get("kind"))
        facts = {name: msg.get(name) for name in msg if name != "kind"}
        if kind == "inbox.moved":
            names = ("feed", "state", "from", "upto", "count", "via")
            move = {name: facts.get(name) for name in names}
            last = self.rows[-1] if self.rows else None
            if last and last["kind"] == "inbox" and not late:
                last["moves"].append(move)
                last["upto"] = item.n
            else:
                self._add(item, "inbox", late, moves=[move])
        elif kind in _LOOP:
            names = ("trigger", "stop_reason", "error", "minutes_left", "harness", "resumed")
            told = {name: facts[name] for name in names if name in facts}
            self._add(item, kind.replace(".", "_"), late, **told)
        else:
            words = text_of(facts.get("error") or facts.get("text") or "", None) or {"text": ""}
            more = {"blob": words["blob"]} if "blob" in words else {}
            self._add(item, "loop", late, what=kind[:60], said=words["text"], **more)

    def _to_agent(self, item: Item, msg: Mapping[str, Any], late: bool) -> None:
        method = msg.get("method")
        if method == "session/prompt":
            blocks = listed(mapping(msg.get("params")).get("prompt"))
            told = [text_of(mapping(block).get("text"), None) for block in blocks]
            text = "\n".join(each["text"] for each in told if each)
            body, items = _with_inbox(text)
            blob = next((each["blob"] for each in told if each and "blob" in each), None)
            more = {"blob": blob} if blob else {}
            self._add(item, "prompt", late, said=body, items=items, **more)
        elif method in _QUIET:
            self._add(item, "wire", late, what=str(method))
            if method == "session/load":
                self.loading = msg.get("id")
        elif method == "session/cancel":
            self._add(item, "wire", late, what="session/cancel")
        elif "result" in msg and msg.get("id") in self.asked:
            outcome = mapping(mapping(msg.get("result")).get("outcome"))
            step = self.asked.pop(msg["id"])
            answer = outcome.get("optionId") if outcome.get("outcome") == "selected" else outcome.get("outcome")
            if step.permission is not None:
                step.permission |= {
                    "answer": str(answer)[:100],
                    "after_ms": item.at - step.permission.pop("at", item.at),
                }

    def _from_agent(self, item: Item, msg: Mapping[str, Any], late: bool) -> None:
        if self.loading is not None and msg.get("id") == self.loading and "method" not in msg:
            self.loading = self.text = None
            return
        params = mapping(msg.get("params"))
        if msg.get("method") == "session/update":
            self._update(item, mapping(params.get("update")), late)
        elif msg.get("method") == "session/request_permission":
            self._permission(item, msg.get("id"), params, late)
        elif isinstance(msg.get("error"), Mapping):
            error = msg["error"]
            why = mapping(error.get("data")).get("errorKind") or ""
            self._add(
                item, "error", late, what=str(why or error.get("code"))[:80], said=str(error.get("message") or "")
            )

    def _update(self, item: Item, update: Mapping[str, Any], late: bool) -> None:
        kind = str(update.get("sessionUpdate"))
        if kind in _CHUNKS:
            self._chunk(item, _CHUNKS[kind], update, late)
        elif kind in ("tool_call", "tool_call_update"):
            self._call(item, kind, update, late)
        elif kind == "plan":
            rows = [mapping(entry) for entry in listed(update.get("entries"))[:100]]
            entries = [
                {name: str(row.get(name) or "")[:400] for name in ("content", "status", "priority")} for row in rows
            ]
            self._add(item, "plan", late, entries=entries, agent=agent_of(update))

    def _chunk(self, item: Item, kind: str, update: Mapping[str, Any], late: bool) -> None:
        told = text_of(mapping(update.get("content")).get("text"), None)
        if told is None or not told["text"]:
            return
        name = (kind, update.get("messageId"))
        if self.text is not None and self.text["name"] == name:
            self.text["row"]["said"] += told["text"]
            self.text["row"]["upto"] = item.n
        elif not late:
            blob = {"blob": told["blob"]} if "blob" in told else {}
            row = self._add(item, kind, said=told["text"], agent=agent_of(update), **blob)
            self.text = {"name": name, "row": row}

    def _call(self, item: Item, kind: str, update: Mapping[str, Any], late: bool) -> None:
        call, agent = str(update.get("toolCallId"))[:200], agent_of(update)
        step = self.steps.get((item.session, agent, call)) or self._lately(item.session, call)
        if kind == "tool_call" and (step is None or not step.is_open):
            step = Step(item.at, item.n, call, agent, item.harness)
            row = self._add(item, "step", late)
            if not late:
                self.steps[item.session, agent, call] = self.newest[item.session, call] = step
                self.made.append((row, step))
        if step is not None:
            step.take(update, item.at, item.n)
            self.text = None

    def _lately(self, session: int, call: str) -> Step | None:
        """An update may leave out whose call it is: the newest open one of that name."""
        step = self.newest.get((session, call))
        if step is None or step.is_open:
            return step
        named = [each for (s, _, c), each in self.steps.items() if (s, c) == (session, call) and each.is_open]
        return named[-1] if named else None

    def _permission(self, item: Item, id: Any, params: Mapping[str, Any], late: bool) -> None:
        call = mapping(params.get("toolCall"))
        step = self._lately(item.session, str(call.get("toolCallId"))[:200])
        if step is None:
            if late:
                return
            step = Step(item.at, item.n, str(call.get("toolCallId"))[:200], "", item.harness)
            self.made.append((self._add(item, "step"), step))
            self.steps[item.session, "", step.call] = self.newest[item.session, step.call] = step
        # What the request says of the call is its own wording: it only fills in what the call had not said.
        step.take(
            {name: value for name, value in call.items() if name not in step.merged and name != "status"},
            item.at,
            item.n,
        )
        options = [str(mapping(option).get("name") or "")[:100] for option in listed(params.get("options"))[:8]]
        step.permission = {"options": options, "answer": None, "at": item.at}
        if isinstance(id, (int, str)):
            self.asked[id] = step


def _with_inbox(text: str) -> tuple[str, list[dict[str, Any]]]:
    """A prompt's words, and the inbox items that its last line hands over."""
    head, _, line = text.rstrip().rpartition("\n")
    items = delivered(line)
    return (text, []) if items is None else (head.rstrip(), items)

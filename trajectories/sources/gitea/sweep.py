"""Sweeps over REST: what never becomes a webhook (dismissed, stale and deleted reviews, conflicts) or was lost on the way.

A sweep lists the open pulls and what changed since the last one, reads reviews only of pulls that changed or whose
base moved, and compares the branches with what the hooks said. It is done in steps of a few calls; its memory is part
of the cursor. A pull is stored as `pull-{number}-{k}` when it differs from its last stored sight.

A conflict is `true` only when two looks, `conflict_s` apart (60 unless the run says otherwise), found the pull not
mergeable with equal head and base; once found it stays while the head is the same and the forge still says so, for a
base that moves every few seconds would otherwise hide every conflict. From one look alone it is `unknown`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import httpx

from trajectories.events import iso, millis
from trajectories.sources.base import RawDelivery
from trajectories.sources.gitea.client import Budget, Forge, Spent
from trajectories.sources.gitea.observe import SWEEP

SWEEP_S = 5
CONFLICT_S = 60
REFRESH_MS = 30_000
SETTLED_MS = 2_500
_SINCE_MARGIN_MS = 5_000


class Sweep:
    """One step of sweeping. Everything it must remember is in `memory`, JSON values only."""

    def __init__(self, forge: Mapping[str, Any], memory: dict[str, Any], *, upto: int, now: int) -> None:
        self.forge, self.memory, self.upto, self.now = forge, memory, upto, now
        self.every_ms = int(float(forge.get("sweep_s") or SWEEP_S) * 1000)
        given = forge.get("conflict_s")
        self.conflict_ms = int(float(CONFLICT_S if given is None else given) * 1000)
        self.pulls: dict[str, dict[str, Any]] = memory.setdefault("pulls", {})
        self.queue: list[str] = memory.setdefault("queue", [])
        self.listed: dict[str, dict[str, Any]] = {}

    def step(self, *, final: bool = False) -> list[RawDelivery]:
        """What this step saw that is new. Failures are noted in `memory["error"]`, never raised."""
        if final and self.memory.get("final"):
            return []  # everything was read after the team had ended: the forge may be gone by now
        due = self.now >= int(self.memory.get("due") or 0)
        if not (due or self.queue or final):
            return []
        budget = Budget(self.memory, self.now, wait=final)
        found: list[RawDelivery] = []
        try:
            rest = Forge(self.forge, budget)
            if (due and not self.queue) or final:
                budget.need(3)
                found += self._refs(rest)
                self._list(rest)
                self.memory["due"] = self.now + self.every_ms
            while self.queue:
                # A look takes one to three calls; one too many is owed and waited for.
                budget.need(2)
                delivery = self._look(rest, self.queue[0])
                self.queue.pop(0)
                if delivery is not None:
                    found.append(delivery)
            self.memory["error"] = None
            self.memory["done_at"] = self.now
            self.memory["final"] = final
        except Spent:
            pass
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, OSError) as failed:
            self.memory["error"] = f"{type(failed).__name__}: {failed}"[:500]
            self.memory["due"] = self.now + self.every_ms
        return found

    def _list(self, rest: Forge) -> None:
        """Find out which pulls to look at."""
        opened = rest.pages("/pulls", state="open", sort="oldest")
        since = int(self.memory.get("since") or 0)
        edge = {"since": iso(max(0, since - _SINCE_MARGIN_MS))} if since else {}
        changed = rest.pages("/issues", type="pulls", state="all", **edge)
        wanted: dict[str, None] = {}
        latest = since
        for issue in changed:
            latest = max(latest, _at(issue.get("updated_at")))
            known = self.pulls.get(str(issue["number"]))
            if known is None or not known.get("settled") or known.get("updated") != issue.get("updated_at"):
                wanted[str(issue["number"])] = None
        for pull in opened:
            number = str(pull["number"])
            self.listed[number] = pull
            known = self.pulls.get(number)
            if known is None or known.get("sight") != self._sight(pull) or self._is_due(known, pull):
                wanted[number] = None
        stale = sorted((int(known.get("read") or 0), n) for n, known in self.pulls.items()
                       if n in self.listed and known.get("reviews"))  # fmt: skip
        # A deleted review may leave no trace in `updated_at`: reviewed pulls are looked at again, a few a sweep.
        for read, number in stale[:3]:
            if self.now - read > REFRESH_MS:
                wanted[number] = None
        self.queue += [number for number in wanted if number not in self.queue]
        self.memory["since"] = latest

    @staticmethod
    def _sight(pull: Mapping[str, Any]) -> list[Any]:
        """What the list alone shows of a pull."""
        return [pull.get("state"), pull.get("mergeable"), _sha(pull, "head"), _sha(pull, "base")]

    def _is_due(self, known: Mapping[str, Any], pull: Mapping[str, Any]) -> bool:
        """A pull waiting for the second look at its conflict."""
        waits = known.get("doubt_since") is not None and known.get("conflict") != "true"
        return waits and self.now - int(known["doubt_since"]) >= self.conflict_ms

    def _look(self, rest: Forge, number: str) -> RawDelivery | None:
        """Read one pull; a delivery if it differs from what was stored of it."""
        known = self.pulls.setdefault(number, {"k": 0})
        pull = self.listed.get(number)
        if pull is None or (pull.get("mergeable") is False and known.get("doubt_since") is None):
            # The single pull makes a real forge check for conflicts; the list only repeats what it last found.
            pull = rest.get(f"/pulls/{number}")
        reviews = rest.pages(f"/pulls/{number}/reviews")
        timeline: list[dict[str, Any]] = []
        if any(review.get("dismissed") for review in reviews):
            lines = rest.pages(f"/issues/{number}/timeline")
            last = int(known.get("line") or 0)
            timeline = [
                each for each in lines if each.get("type") == "dismiss_review" or int(each.get("id") or 0) > last
            ]
            known["line"] = max([last, *(int(each.get("id") or 0) for each in lines)])
        conflict = self._conflict(known, pull)
        known |= {
            "updated": pull.get("updated_at"),
            "settled": self.now - _at(pull.get("updated_at")) > SETTLED_MS,
            "sight": self._sight(pull),
            "read": self.now,
            "reviews": len(reviews),
            "conflict": conflict,
        }
        seen = _digest(pull, reviews, conflict)
        if known.get("seen") == seen:
            return None
        known["seen"], known["k"] = seen, int(known["k"]) + 1
        body = {"pull": pull, "reviews": reviews, "timeline": timeline, "conflict": conflict}
        return self._delivery(f"pull-{number}-{known['k']}", "pull", body)

    def _conflict(self, known: dict[str, Any], pull: Mapping[str, Any]) -> str:
        title = str(pull.get("title") or "").upper()
        draft = pull.get("draft") is True or title.startswith(("WIP", "[WIP]", "DRAFT:"))
        if pull.get("state") != "open" or draft or pull.get("mergeable") is not False:
            known["doubt"], known["doubt_since"] = None, None
            return "false" if pull.get("mergeable") is True and not draft else "unknown"
        head, doubt = _sha(pull, "head"), [_sha(pull, "head"), _sha(pull, "base")]
        if known.get("conflict") == "true" and (known.get("doubt") or [None])[0] == head:
            return "true"
        if known.get("doubt") != doubt:
            known["doubt"], known["doubt_since"] = doubt, self.now
            return "true" if self.conflict_ms == 0 else "unknown"
        return "true" if self.now - int(known["doubt_since"]) >= self.conflict_ms else "unknown"

    def _refs(self, rest: Forge) -> list[RawDelivery]:
        """Compare every branch with what the hooks said. A difference is stored when a second look confirms it: a push
        between reading the outbox and reading the refs is no difference."""
        try:
            rows = rest.get("/git/refs")
        except httpx.HTTPStatusError as failed:
            if failed.response.status_code != 404:  # a repository without a commit has no refs
                raise
            rows = []
        real = {
            str(row["ref"]).removeprefix("refs/heads/"): str(row["object"]["sha"])
            for row in rows
            if str(row.get("ref", "")).startswith("refs/heads/")
        }
        if real == self.memory.get("heads"):
            self.memory["refs_doubt"] = None
            return []
        doubt = _digest_of([real, self.memory.get("heads")])
        if self.memory.get("refs_doubt") != doubt:
            self.memory["refs_doubt"] = doubt
            return []
        self.memory |= {"refs_doubt": None, "heads": real, "refs": int(self.memory.get("refs") or 0) + 1}
        return [self._delivery(f"refs-{self.memory['refs']}", "refs", {"branches": real})]

    def _delivery(self, id: str, sweep: str, body: dict[str, Any]) -> RawDelivery:
        return RawDelivery(id, self.upto, self.now, self.now, body, {SWEEP: sweep})


def _sha(pull: Mapping[str, Any], side: str) -> Any:
    end = pull.get(side)
    return end.get("sha") if isinstance(end, Mapping) else None


def _at(text: Any) -> int:
    try:
        return millis(text) if isinstance(text, str) else 0
    except (ValueError, OverflowError):
        return 0


def _digest(pull: Mapping[str, Any], reviews: list[dict[str, Any]], conflict: str) -> str:
    """What counts as a change of a pull. Its base's head does not: every merge moves it for every pull."""
    said = [
        [each.get("id"), each.get("state"), each.get("dismissed"), each.get("stale"), each.get("body")]
        for each in reviews
        if each.get("state") not in ("PENDING", "REQUEST_REVIEW")
    ]
    base = pull.get("base")
    facts = [pull.get(name) for name in ("number", "state", "merged", "title", "body")]
    return _digest_of(
        [facts, _sha(pull, "head"), base.get("ref") if isinstance(base, Mapping) else None, conflict, said]
    )


def _digest_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]

"""Sweeps over REST: what never becomes a webhook (dismissed, stale and deleted reviews, conflicts) or was lost on the way.

A sweep lists the open pulls and what changed since the last one, reads reviews only of pulls that changed or whose
base moved, and compares the branches with what the hooks said. It is done in steps of a few calls; its memory is part
of the cursor. A pull is stored as `pull-{number}-{k}` when it differs from its last stored sight.

Where the forge's own table of pulls can be read, it says at once which are in conflict and which are still being tested;
then a moved base costs no call. Elsewhere a conflict is `true` only when two looks, `conflict_s` apart (60 unless the run says otherwise), found the pull not
mergeable with equal head and base; once found it stays while the head is the same and the forge still says so, for a
base that moves every few seconds would otherwise hide every conflict. From one look alone it is `unknown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import httpx

from trajectories.events import iso
from trajectories.sources.base import RawDelivery
from trajectories.sources.gitea.client import Budget, Forge, Spent
from trajectories.sources.gitea.looks import at_ms, digest, digest_of, side_of
from trajectories.sources.gitea.observe import SWEEP
from trajectories.sources.gitea.outbox import CHECKING, CONFLICT, MERGEABLE, Verdict
from trajectories.sources.outbox import OutboxUnread

SWEEP_S = 5
CONFLICT_S = 60
REFRESH_MS = 30_000
SETTLED_MS = 2_500
REFS_MS = 5_000  # Gitea writes a push's hook some moments after git has taken it
_SINCE_MARGIN_MS = 5_000


class Sweep:
    """One step of sweeping. Everything it must remember is in `memory`, JSON values only."""

    def __init__(
        self,
        forge: Mapping[str, Any],
        memory: dict[str, Any],
        *,
        upto: int,
        now: int,
        tested: Callable[[], dict[str, Verdict] | None] = lambda: None,
    ) -> None:
        self.forge, self.memory, self.upto, self.now, self.tested = forge, memory, upto, now, tested
        self.every_ms = int(float(forge.get("sweep_s") or SWEEP_S) * 1000)
        given = forge.get("conflict_s")
        self.conflict_ms = int(float(CONFLICT_S if given is None else given) * 1000)
        self.pulls: dict[str, dict[str, Any]] = memory.setdefault("pulls", {})
        self.queue: list[str] = memory.setdefault("queue", [])
        self.listed: dict[str, dict[str, Any]] = {}
        self.known_there: dict[str, Verdict] | None = None

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
            self.known_there = self.tested()
            if (due and not self.queue) or final:
                budget.need(3)
                found += self._refs(rest, final)
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
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, OSError, OutboxUnread) as failed:
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
            latest = max(latest, at_ms(issue.get("updated_at")))
            known = self.pulls.get(str(issue["number"]))
            if known is None or not known.get("settled") or known.get("updated") != issue.get("updated_at"):
                wanted[str(issue["number"])] = None
        for pull in opened:
            number = str(pull["number"])
            self.listed[number] = pull
            known = self.pulls.get(number)
            if known is None or known.get("sight") != self._sight(pull, known) or self._is_due(known, pull):
                wanted[number] = None
        stale = sorted((int(known.get("read") or 0), n) for n, known in self.pulls.items()
                       if n in self.listed and known.get("reviews"))  # fmt: skip
        # A deleted review may leave no trace in `updated_at`: reviewed pulls are looked at again, a few a sweep.
        for read, number in stale[:3] if self.known_there is None else ():
            if self.now - read > REFRESH_MS:
                wanted[number] = None
        self.queue += [number for number in wanted if number not in self.queue]
        self.memory["since"] = latest

    def _sight(self, pull: Mapping[str, Any], known: Mapping[str, Any]) -> list[Any]:
        """What is seen of a pull without a call of its own. While it is being tested, what was found before holds."""
        if self.known_there is None:
            return [pull.get("state"), pull.get("mergeable"), side_of(pull, "head"), side_of(pull, "base")]
        status, reviews = self.known_there.get(str(pull.get("number")), (None, None))
        if status == CHECKING:
            status = (known.get("sight") or [None, None])[1]
        return [pull.get("state"), status, side_of(pull, "head"), side_of(pull, "base", "ref"), reviews]

    def _is_due(self, known: Mapping[str, Any], pull: Mapping[str, Any]) -> bool:
        """A pull waiting for the second look at its conflict."""
        waits = known.get("doubt_since") is not None and known.get("conflict") != "true"
        return waits and self.now - int(known["doubt_since"]) >= self.conflict_ms

    def _look(self, rest: Forge, number: str) -> RawDelivery | None:
        """Read one pull; a delivery if it differs from what was stored of it."""
        known = self.pulls.setdefault(number, {"k": 0})
        pull = self.listed.get(number)
        doubtful = self.known_there is None and pull is not None and pull.get("mergeable") is False
        if pull is None or (doubtful and known.get("doubt_since") is None):
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
        comments = self._inline(rest, number, known, reviews)
        conflict = self._conflict(known, pull)
        known |= {
            "updated": pull.get("updated_at"),
            "settled": self.now - at_ms(pull.get("updated_at")) > SETTLED_MS,
            "sight": self._sight(pull, known),
            "read": self.now,
            "reviews": len(reviews),
            "conflict": conflict,
        }
        seen = digest(pull, reviews, conflict)
        if known.get("seen") == seen:
            return None
        known["seen"], known["k"] = seen, int(known["k"]) + 1
        body = {"pull": pull, "reviews": reviews, "timeline": timeline, "conflict": conflict}
        if comments:
            body["comments"] = comments
        return self._delivery(f"pull-{number}-{known['k']}", "pull", body)

    def _inline(self, rest: Forge, number: str, known: dict[str, Any], reviews: list[dict[str, Any]]) -> dict[str, Any]:
        """Comments inside reviews, by review: no webhook holds them. Each review's are read once."""
        read: dict[str, int] = known.setdefault("inline", {})
        found: dict[str, Any] = {}
        for review in reviews:
            id, count = str(review.get("id")), int(review.get("comments_count") or 0)
            if count and read.get(id) != count:
                found[id], read[id] = rest.get(f"/pulls/{number}/reviews/{id}/comments"), count
        return found

    def _conflict(self, known: dict[str, Any], pull: Mapping[str, Any]) -> str:
        if self.known_there is not None and pull.get("state") == "open":
            status, _ = self.known_there.get(str(pull.get("number")), (None, None))
            if status == CHECKING and side_of(pull, "head") == (known.get("sight") or [None] * 3)[2]:
                return str(known.get("conflict") or "unknown")
            return {CONFLICT: "true", MERGEABLE: "false"}.get(-1 if status is None else status, "unknown")
        title = str(pull.get("title") or "").upper()
        draft = pull.get("draft") is True or title.startswith(("WIP", "[WIP]", "DRAFT:"))
        if pull.get("state") != "open" or draft or pull.get("mergeable") is not False:
            known["doubt"], known["doubt_since"] = None, None
            return "false" if pull.get("mergeable") is True and not draft else "unknown"
        head, doubt = side_of(pull, "head"), [side_of(pull, "head"), side_of(pull, "base")]
        if known.get("conflict") == "true" and (known.get("doubt") or [None])[0] == head:
            return "true"
        if known.get("doubt") != doubt:
            known["doubt"], known["doubt_since"] = doubt, self.now
            return "true" if self.conflict_ms == 0 else "unknown"
        return "true" if self.now - int(known["doubt_since"]) >= self.conflict_ms else "unknown"

    def _refs(self, rest: Forge, final: bool) -> list[RawDelivery]:
        """Compare every branch with what the hooks said. A difference is stored when a look some seconds later confirms it:
        a push whose hook is still on its way is no difference."""
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
        doubt = digest_of([real, self.memory.get("heads")])
        if self.memory.get("refs_doubt") != doubt:
            self.memory |= {"refs_doubt": doubt, "refs_doubt_at": self.now}
            return []
        if not final and self.now - int(self.memory.get("refs_doubt_at") or 0) < REFS_MS:
            return []
        self.memory |= {"refs_doubt": None, "heads": real, "refs": int(self.memory.get("refs") or 0) + 1}
        return [self._delivery(f"refs-{self.memory['refs']}", "refs", {"branches": real})]

    def _delivery(self, id: str, sweep: str, body: dict[str, Any]) -> RawDelivery:
        return RawDelivery(id, self.upto, self.now, self.now, body, {SWEEP: sweep})

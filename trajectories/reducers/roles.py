"""Roles: what a worker has mostly been doing lately. Spans begin and end as the run goes on."""

from __future__ import annotations

from typing import Final, NamedTuple

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.leads import Leads
from trajectories.reducers.people import Who
from trajectories.reducers.rules import Rule, rule
from trajectories.reducers.tables import Key
from trajectories.reducers.topic import Seen, Topic

WINDOW = rule("role_window_s", 3_600, "s", "Roles look back this far, or half the run if that is shorter.", run_part=2)
INTEGRATOR_MERGES = rule(
    "integrator_merges", 3, "merges", "An integrator merged at least this many pulls of others in the window"
)
INTEGRATOR_SHARE = rule("integrator_share_ppm", 500_000, "ppm", "and these are at least this share of its merges.")
REVIEWER_REVIEWS = rule(
    "reviewer_reviews",
    3,
    "reviews",
    "A reviewer reviewed others at least this often in the window, and more often than it opened pulls.",
)
IMPLEMENTER_LANDED = rule(
    "implementer_landed",
    2,
    "pulls",
    "An implementer had at least this many own pulls merged in the window, and not fewer than it gave reviews.",
)
RECOVERER_LANDED = rule(
    "recoverer_landed", 2, "recoveries", "A recoverer landed at least this many lost claims of others in the window."
)

COORDINATOR_LED = rule(
    "coordinator_led", 3, "peers", "A coordinator led at least this many different peers in the window"
)
COORDINATOR_SHARE = rule(
    "coordinator_share_ppm", 500_000, "ppm", "and these are at least this share of all that it led or followed."
)

#: What a deed is called in the windows: of a worker, at a time, proven by a reference.
MERGED_OTHERS, MERGED_OWN, REVIEWED, OPENED, LANDED, RECOVERED = "mo", "mw", "rv", "op", "la", "rc"
LED, FOLLOWED = "ld", "fo"


class _Shape(NamedTuple):
    """A role: `of` are the deeds that make it, `least` how many of them, `against` those it is weighed against."""

    of: str
    against: str
    least: Rule


ROLES: Final = {
    "integrator": _Shape(MERGED_OTHERS, MERGED_OWN, INTEGRATOR_MERGES),
    "reviewer": _Shape(REVIEWED, OPENED, REVIEWER_REVIEWS),
    "implementer": _Shape(LANDED, REVIEWED, IMPLEMENTER_LANDED),
    "recoverer": _Shape(RECOVERED, "", RECOVERER_LANDED),
    "coordinator": _Shape(LED, FOLLOWED, COORDINATOR_LED),
}
_TOUCHES: Final = {
    deed: [role for role, shape in ROLES.items() if deed in (shape.of, shape.against)]
    for deed in (MERGED_OTHERS, MERGED_OWN, REVIEWED, OPENED, LANDED, RECOVERED, LED, FOLLOWED)
}


class Roles(Topic):
    """One row a span, keyed `{worker}:{role}:{since}`; `until` is null while it holds."""

    table = "roles"

    def prepare(self) -> None:
        self.deeds = self.state.index("roles.deeds")  # (worker, deed) -> ((at, ref), ..) within the window
        self.spans = self.state.index("roles.spans")  # (worker, role) -> key of the open span
        self.led = self.state.index("roles.led")  # (leader, peer) -> at: a peer counts once in the window
        self.leads = Leads(self)

    def heard_pull_merged(self, number: int, merger: Who, author: Who, seen: Seen) -> None:
        """Who merged, and whose pull landed."""
        self._did(merger, MERGED_OWN if merger == author else MERGED_OTHERS, seen.at, seen.said, seen.ref)
        self._did(author, LANDED, seen.at, seen.said, seen.ref)

    def heard_review_given(self, key: str, pull: int, reviewer: Who, author: Who, seen: Seen) -> None:
        """A review by its own author counts nowhere."""
        if reviewer != author:
            self._did(reviewer, REVIEWED, seen.at, seen.said, seen.ref)

    def heard_pull_opened(self, number: int, author: Who, seen: Seen) -> None:
        """An own pull."""
        self._did(author, OPENED, seen.at, seen.said, seen.ref)

    def heard_recovery_landed(self, claim: int, by: int | None, said: int, ref: str) -> None:
        """A lost claim of another was landed by this one; who took it over on the way and lost it again landed nothing."""
        claims = self.team.claims
        worker = claims.worker_of(by) if by is not None and claims.rows[by]["status"] == "landed" else None
        self._did(worker, RECOVERED, self.state.now, said, ref)

    def on_message_posted(self, seen: Seen) -> None:
        """A direct message may lead somebody."""
        self.leads.message(seen)

    def heard_claim_opened(self, claim: int, old: int | None, renews: bool, seen: Seen) -> None:
        """Claimed because somebody had named it."""
        if not renews:
            self._follow(claim, seen.said, seen.ref)

    def heard_claim_closed(self, claim: int, status: str, said: int, ref: str) -> None:
        """Given up because somebody had named it."""
        if status == "released":
            self._follow(claim, said, ref)

    def on_run_ended(self, seen: Seen) -> None:
        """Open spans end with the run."""
        for (_, role), key in sorted(self.spans.items()):
            self.put(key, until=stamp(seen.said))
            self.team.tell("role_ended", role, key)
        for whose in list(self.spans):
            self.state.remove(self.spans, whose)

    def woken(self, key: Key) -> None:
        """The oldest deed of a worker leaves the window."""
        worker, _, deed = str(key).partition(":")
        self._judge(int(worker), deed, self.state.now, self.state.ref)

    def _follow(self, claim: int, said: int, ref: str) -> None:
        peer = self.team.claims.worker_of(claim)
        found = self.leads.followed(peer, claim) if peer is not None else None
        if found is None:
            return
        leader, now = found[0], self.state.now
        before = self.led.get((leader, peer))
        if before is None or before <= now - self.team.limits.ms(WINDOW):
            self.state.assign(self.led, (leader, peer), now)
            self._did(leader, LED, now, said, found[1])
            self._did(peer, FOLLOWED, now, said, ref)

    def _did(self, who: Who, deed: str, at: int, said: int, ref: str) -> None:
        if type(who) is not int or self.team.limits.over:
            return
        self.state.assign(self.deeds, (who, deed), (*self._recent(who, deed, at), (at, ref)))
        self._judge(who, deed, said, ref)

    def _recent(self, worker: int, deed: str, at: int) -> tuple[tuple[int, str], ...]:
        """Deeds still within the window; the window is half open: a deed leaves exactly one window after it."""
        oldest = at - self.team.limits.ms(WINDOW)
        kept: tuple[tuple[int, str], ...] = self.deeds.get((worker, deed), ())
        if kept and kept[0][0] <= oldest:
            gone = 1
            while gone < len(kept) and kept[gone][0] <= oldest:
                gone += 1
            kept = kept[gone:]
            self.state.assign(self.deeds, (worker, deed), kept)
        return kept

    def _judge(self, worker: int, deed: str, said: int, ref: str) -> None:
        if self.team.limits.over:
            return
        now = self.state.now
        mine = self._recent(worker, deed, now)
        for role in _TOUCHES[deed]:
            shape = ROLES[role]
            of = mine if shape.of == deed else self.deeds.get((worker, shape.of), ())
            if len(of) < self.team.limits.of(shape.least) and (worker, role) not in self.spans:
                continue  # nothing to begin, nothing to end
            of = self._recent(worker, shape.of, now)
            against = self._recent(worker, shape.against, now) if shape.against else ()
            self._hold(worker, role, of, len(against), said, ref if deed == shape.of else "")
        if mine:
            self.state.timer(self.table, f"{worker}:{deed}", mine[0][0] + self.team.limits.ms(WINDOW))

    def _hold(self, worker: int, role: str, of: tuple[tuple[int, str], ...], against: int, said: int, ref: str) -> None:
        key = self.spans.get((worker, role))
        holds = self._holds(role, len(of), against)
        if holds and key is None:
            key = f"{worker}:{role}:{stamp(said)}"
            if key in self.rows:
                return  # it ended and began within one millisecond
            self.state.assign(self.spans, (worker, role), key)
            refs = [each for _, each in of]
            evidence = with_evidence(None, *refs)
            self.put(key, worker=worker, role=role, since=stamp(said), share_ppm=_share(len(of), against), **evidence)
            self.team.tell("role_began", worker, role, said, refs)
        elif holds and key is not None:
            self.put(key, share_ppm=_share(len(of), against), **with_evidence(self.rows[key], ref))
        elif key is not None:
            self.put(key, until=stamp(said))
            self.state.remove(self.spans, (worker, role))
            self.team.tell("role_ended", role, key)

    def _holds(self, role: str, of: int, against: int) -> bool:
        limit = self.team.limits.of
        if of < limit(ROLES[role].least):
            return False
        if role == "integrator":
            return _share(of, against) >= limit(INTEGRATOR_SHARE)
        if role == "coordinator":
            return _share(of, against) >= limit(COORDINATOR_SHARE)
        if role == "reviewer":
            return of > against
        return role == "recoverer" or of >= against


def _share(of: int, against: int) -> int:
    return of * 1_000_000 // (of + against) if of else 0

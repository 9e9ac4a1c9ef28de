"""The stories of a claim, a pull, a worker, a row's evidence: which events belong on each page, by the State's own links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.db.models import Q

from trajectories.events import KINDS, millis
from trajectories.joined.family import Family, of_claim, of_pull
from trajectories.joined.finding import Finding, Shown, Story
from trajectories.joined.moments import Moment
from trajectories.models import EventRow
from trajectories.newest import Newest, Row

BEFORE_MS, AFTER_MS = 60_000, 600_000  # a branch is made before its pull; a message may come after a claim is closed
OF_PULLS = [kind for kind in KINDS if kind.startswith(("pull.", "review.", "comment."))]
OF_BRANCHES = ["commits.pushed", "branch.created", "branch.deleted"]
OF_WORKERS = ("note.", "message.", "commits.", "pull.", "review.", "comment.", "worker.")
OF_LOOPS = ("turn.", "nudge.", "reminder.", "session.")
HEAVY = ("pull.observed",)  # a sweep's look says little about a worker


def claim_story(newest: Newest, key: int) -> Story:
    """Note, rivals, messages between them, branches, pulls, reviews, merges, the take-over, later FAILs, the next score."""
    family = of_claim(newest, key)
    finding = Finding(newest.run_id)
    claims = newest.tables["claims"]
    for each in [*family.claims, *family.rivals]:
        finding.refs(claims[each]["evidence"] if each in family.claims else claims[each]["evidence"][:1])
    if family.rivals:
        _messages(finding, claims, key, family)
    return _told(newest, finding, family)


def pull_story(newest: Newest, number: int) -> Story:
    """Everything the forge said of the pull, its branch, its claim's note, FAILs that name it, the next score."""
    family = of_pull(newest, number)
    finding = Finding(newest.run_id)
    for each in family.claims:
        finding.refs(newest.tables["claims"][each]["evidence"][:1])
    finding.refs(newest.tables["pulls"][number]["conflict_bases"])
    return _told(newest, finding, family)


def worker_story(newest: Newest, worker: int) -> Story:
    """What a worker did where others could see it: notes, messages, pushes, pulls, reviews; turns, not single steps."""
    finding = Finding(newest.run_id)
    names = [name for name, number in finding.known.items() if number == worker]
    seen = [kind for kind in KINDS if kind.startswith(OF_WORKERS) and kind not in HEAVY]
    finding.kinds(seen, lambda event: event["worker"] == worker, also=Q(worker=worker) | Q(actor__in=names))
    called = {*names, str(newest.tables["workers"][worker]["name"])}
    finding.kinds(["action.taken"], lambda event: event["fields"].get("target") in called)
    own = Q(pk__in=[])
    for start in OF_LOOPS:
        own |= Q(kind__startswith=start)
    finding.rows(Q(rank=5, worker=worker) & own)
    return finding.story()


def proof_story(run_id: int, refs: Iterable[str]) -> Story:
    """Exactly the events that a row names as its evidence."""
    finding = Finding(run_id)
    finding.refs(refs)
    return finding.story()


def base_moves(newest: Newest, number: int) -> list[Moment]:
    """The moves of its base after which the forge first said that a pull conflicts, in order; the latest ones of many."""
    return proof_story(newest.run_id, newest.tables["pulls"][number]["conflict_bases"]).moments


def event_story(run_id: int, n: int) -> Story:
    """One event by its arrival number."""
    finding = Finding(run_id)
    finding.number(n)
    return finding.story()


def _told(newest: Newest, finding: Finding, family: Family) -> Story:
    for row in [*family.lost, *(newest.tables["pulls"][number] for number in family.pulls), *family.reviews]:
        finding.refs(row["evidence"])
    if family.pulls:
        _forge(newest, finding, family.pulls)
    for note in family.failures:
        _note(finding, note)
    if (score := _next_score(newest, family.pulls)) is not None:
        finding.number(score)
    return finding.story()


def _forge(newest: Newest, finding: Finding, pulls: list[int]) -> None:
    """What the forge said by a pull's number while it was open, and pushes to its branch from before that."""
    wanted = set(pulls)
    rows = [newest.tables["pulls"][number] for number in pulls]
    opened = min((millis(row["opened_at"]) for row in rows if row["opened_at"]), default=None)
    since = None if opened is None else opened - BEFORE_MS
    ends = [row["merged_at"] or row["closed_at"] for row in rows]
    until = max(millis(end) for end in ends if end) + AFTER_MS if all(ends) else None
    named = Q(pk__in=[])
    for number in pulls:  # `fields` is JSON as we wrote it: a member reads `"number":12,` or ends the object
        named |= Q(fields__contains=f'"number":{number},') | Q(fields__contains=f'"number":{number}}}')
    finding.kinds(
        OF_PULLS, lambda event: event["fields"].get("number") in wanted and _tells(event), since, until, named
    )
    heads = {row["head"] for row in rows if row["head"]}
    starts = [
        newest.tables["claims"][row["claim"]]["opened_at"] for row in rows if row["claim"] in newest.tables["claims"]
    ]
    first = min((millis(time) for time in starts if time), default=since)
    named = Q(pk__in=[])
    for head in heads:
        named |= Q(fields__contains=head)
    finding.kinds(OF_BRANCHES, lambda event: event["fields"].get("branch") in heads, first, until, named)


def _tells(event: Shown) -> bool:
    """A sweep's look is worth a line when it is the first to tell of a conflict; else it is evidence or nothing."""
    return bool(event["kind"] != "pull.observed" or event["fields"].get("conflict") == "true")


def _messages(finding: Finding, claims: Mapping[int, Row], key: int, family: Family) -> None:
    """Direct messages between the claim's worker and its rivals while both wanted the same."""
    pair = [claims[each] for each in (key, *family.rivals)]
    people = {row["worker"] for row in pair}
    since = min(millis(row["opened_at"]) for row in pair if row["opened_at"])
    ends = [millis(row["closed_at"]) for row in pair if row["closed_at"]]
    until = max(ends) + AFTER_MS if len(ends) == len(pair) else None

    def between(event: Shown) -> bool:
        to = {_number(finding, name) for name in event["fields"].get("to") or []}
        mine = claims[key]["worker"]
        return bool(event["worker"] in people and to & people and mine in (to | {event["worker"]}))

    finding.kinds(["message.posted"], between, since=since, until=until, also=Q(fields__contains='"direct"'))


def _note(finding: Finding, note: Row) -> None:
    at = millis(note["at"])
    told = f'"note":{note["note"]}'
    finding.kinds(
        ["note.posted"],
        lambda event: event["fields"].get("note") == note["note"],
        at - 1,
        at + 1,
        Q(fields__contains=told),
    )


def _next_score(newest: Newest, pulls: list[int]) -> int | None:
    """The first checkpoint with a score that was taken after the last of these pulls merged; one may have been skipped."""
    rows = newest.tables["pulls"]
    merged = [rows[number]["merged_at"] for number in pulls if rows[number]["merged_at"]]
    if not merged:
        return None
    last = millis(max(merged))
    scores = EventRow.objects.filter(run_id=newest.run_id, kind="checkpoint.scored", rank__lt=5)
    for n, at, fields in scores.filter(at__gte=last).order_by("at").values_list("n", "at", "fields"):
        told = orjson.loads(fields)
        taken = told.get("at_s")  # told a while after it was taken, of what stood then
        if told.get("total") and (at if type(taken) is not int else (newest.t0 or 0) + taken * 1000) >= last:
            return int(n)
    return None


def _number(finding: Finding, name: Any) -> int | None:
    return finding.known.get(str(name), finding.known.get(f"mattermost:{name}"))

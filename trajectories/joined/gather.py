"""Finds the events that belong together, from the State's own links and from ids inside events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from trajectories import replay
from trajectories.events import millis
from trajectories.joined.moments import Moment, moment
from trajectories.models import EventRow, Stream
from trajectories.models.reading import canonical
from trajectories.models.roster import roster

LONGEST = 600  # lines on one page; the page says how many more there are
PULL_KINDS = ["pull.", "review.", "comment."]
Row = Mapping[str, Any]
Tables = Mapping[str, Mapping[str, Row]]


@dataclass(frozen=True, slots=True)
class Story:
    """Lines in canonical order, `more` = how many were left out, `sources` = how many sources speak."""

    moments: list[Moment]
    more: int
    sources: int


def claim_story(run_id: int, tables: Tables, key: str) -> Story:
    """Note, rivals, messages between them, branch, pulls, reviews, merge, FAILs, the next score."""
    claim = tables["claims"][key]
    rivals = [str(other) for other in claim["overlaps"]]
    pulls = {number for number, row in tables["pulls"].items() if str(row["claim"]) == key}
    pulls |= {str(claim["pull"])} if claim["pull"] is not None else set()
    refs = set(claim["evidence"])
    for recovery in tables["recoveries"].values():
        if key in (str(recovery["from_claim"]), str(recovery["to_claim"])):
            refs |= set(recovery["evidence"])
    for number in pulls & set(tables["pulls"]):
        refs |= set(tables["pulls"][number]["evidence"])
    asked = _refs(refs) | _notes([key, *rivals]) | _of_pulls(pulls) | _branches(tables, pulls)
    people = {claim["worker"], *(tables["claims"][other]["worker"] for other in rivals if other in tables["claims"])}
    if rivals:
        asked |= Q(kind="message.posted", fields__contains='"direct"')

    known = roster(run_id)

    def belongs(event: dict[str, Any]) -> bool:
        if event["kind"] != "message.posted" or event["ref"] in refs:
            return True
        to = event["fields"].get("to") or []
        return event["worker"] in people and any(number in people for number in _numbers(to, known))

    return _tell(run_id, asked, belongs, pulls, _next_score(run_id, tables, pulls))


def pull_story(run_id: int, tables: Tables, number: str) -> Story:
    """Everything the forge said of the pull, its branch, its claim's note, FAILs that name it, the next score."""
    pull = tables["pulls"][number]
    refs = set(pull["evidence"])
    for review in tables["reviews"].values():
        if str(review["pull"]) == number:
            refs |= set(review["evidence"])
    asked = _refs(refs) | _of_pulls([number]) | _branches(tables, [number])
    if pull["claim"] is not None:
        asked |= _notes([str(pull["claim"])])
    return _tell(run_id, asked, lambda event: True, {number}, _next_score(run_id, tables, [number]))


def worker_story(run_id: int, worker: int) -> Story:
    """What a worker did where others could see it: notes, messages, pushes, pulls, reviews; turns, not single steps."""
    names = [name for name, number in roster(run_id).items() if number == worker]
    seen = ["note.", "message.", "commits.", "pull.", "review.", "comment.", "worker.", "turn.", "nudge.", "reminder."]
    kinds = Q()
    for start in seen:
        kinds |= Q(kind__startswith=start)
    asked = kinds & (Q(worker=worker) | Q(actor__in=names))
    return _tell(run_id, asked, lambda event: event["kind"] != "pull.observed", set(), Q())


def event_story(run_id: int, n: int) -> Story:
    """One event by its arrival number."""
    return _tell(run_id, Q(n=n), lambda event: True, set(), Q())


def _tell(run_id: int, asked: Q, belongs: Any, pulls: set[str], also: Q) -> Story:
    zero, known = Stream.of(run_id).t0 or 0, roster(run_id)
    moments, more = [], 0
    for n, event in canonical(run_id, asked | also if also else asked):
        shown = replay.shown(n, event, known)
        number = shown["fields"].get("number")
        foreign = number is not None and pulls and str(number) not in pulls
        if foreign or not belongs(shown):
            continue
        if len(moments) >= LONGEST:
            more += 1
            continue
        moments.append(moment(shown, (event.at - zero) / 1000))
    return Story(moments, more, len({line.source for line in moments}))


def _refs(refs: Iterable[str]) -> Q:
    """Events by evidence reference `source:id#part`; an ACP reference names an item inside a batch and finds its event."""
    asked = Q(pk__in=[])
    for ref in refs:
        source, _, rest = ref.partition(":")
        id, _, part = rest.partition("#")
        asked |= Q(source=source, key=id, part=int(part) if part.isdigit() else 0)
    return asked


def _notes(keys: Iterable[str]) -> Q:
    """Notes by id. The text of `fields` is JSON as we wrote it, so a member reads `"note":12,` or ends the object."""
    asked = Q(pk__in=[])
    for key in keys:
        asked |= Q(kind="note.posted") & (Q(fields__contains=f'"note":{key},') | Q(fields__contains=f'"note":{key}}}'))
    return asked


def _of_pulls(numbers: Iterable[str]) -> Q:
    asked = Q(pk__in=[])
    for number in numbers:
        named = Q(fields__contains=f'"number":{number},') | Q(fields__contains=f'"number":{number}}}')
        for start in PULL_KINDS:
            asked |= Q(kind__startswith=start) & named
        asked |= Q(kind="note.posted", fields__contains=f"#{number}") & Q(fields__contains='"FAIL"')
    return asked


def _branches(tables: Tables, numbers: Iterable[str]) -> Q:
    asked = Q(pk__in=[])
    for number in numbers:
        head = tables["pulls"].get(number, {}).get("head")
        if head:
            asked |= Q(source="gitea", kind__in=["commits.pushed", "branch.created"], fields__contains=head)
    return asked


def _next_score(run_id: int, tables: Tables, numbers: Iterable[str]) -> Q:
    """The first checkpoint after the last of these pulls merged."""
    merged = [tables["pulls"][n]["merged_at"] for n in numbers if tables["pulls"].get(n, {}).get("merged_at")]
    if not merged:
        return Q()
    at = EventRow.objects.filter(run_id=run_id, kind="checkpoint.scored", at__gte=millis(max(merged))).order_by("at")
    first = at.values_list("n", flat=True).first()
    return Q(n=first) if first else Q()


def _numbers(names: Iterable[str], known: Mapping[str, int]) -> set[int | None]:
    return {known.get(str(name), known.get(f"mattermost:{name}")) for name in names}

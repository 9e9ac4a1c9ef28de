"""Who said a word: the filter of the lanes over what is not in the State of the page, messages, notes, reviews and comments."""

from __future__ import annotations

import orjson
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from ninja import Router

from runs.access import visible_run
from trajectories.api.answers import answer
from trajectories.models import EventRow
from trajectories.models.roster import roster

router = Router()
SAID = {
    "message.posted": ("text",),
    "message.edited": ("text",),
    "note.posted": ("text", "detail"),
    "review.submitted": ("text",),
    "comment.posted": ("text",),
    "comment.edited": ("text",),
}
WORDS, LONGEST = 8, 80


@router.get("runs/{run}/speakers")
def speakers(request: HttpRequest, run: str, q: str = "") -> HttpResponse:
    """`{"words": {word: {"workers": [..], "said": events that hold it}}}` for each word of `q`, whatever its case."""
    found, known = visible_run(request, run), None
    words = list(dict.fromkeys(word[:LONGEST] for word in q.casefold().split()))[:WORDS]
    told: dict[str, dict[str, object]] = {}
    for word in words:
        known = roster(found.pk) if known is None else known
        who, said = _speakers(found.pk, word, known)
        told[word] = {"workers": sorted(who), "said": said}
    return answer({"words": told})


def _speakers(run_id: int, word: str, known: dict[str, int]) -> tuple[set[int], int]:
    # The text is JSON: what it escapes cannot be looked for as it stands, so the shortest plain piece narrows and Python decides.
    plain = word if word.isascii() and word.isalnum() else ""
    rows = EventRow.objects.filter(Q(run_id=run_id, rank__lt=5, kind__in=SAID), fields__icontains=plain)
    who: set[int] = set()
    said = 0
    for kind, worker, actor, fields in rows.values_list("kind", "worker", "actor", "fields").iterator(2000):
        told = orjson.loads(fields)
        if any(word in str(told.get(name) or "").casefold() for name in SAID[kind]):
            said += 1
            number = known.get(actor or "") if worker is None else worker
            if number is not None:
                who.add(number)
    return who, said

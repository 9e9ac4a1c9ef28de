"""What a run says: State, changes, events, evidence, who saw a note, feeds."""

from __future__ import annotations

from typing import Annotated

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.errors import HttpError

from runs.access import visible_run
from trajectories import listed, replay
from trajectories.api.answers import answer, seconds
from trajectories.api.leaning import lean_state
from trajectories.evidence import evidence as evidence_of
from trajectories.feeds import feeds as feeds_of
from trajectories.reducers import TABLES
from trajectories.sources import SOURCES

router = Router()
Limit = Annotated[int, Query(ge=1, le=10_000)]
After = Annotated[int, Query(ge=0, le=2**62)]


@router.get("runs/{run}/state")
def state(
    request: HttpRequest, run: str, at: float | None = None, table: str | None = None, lean: bool = False
) -> HttpResponse:
    """The State now, or `at` seconds since run.started; follow it live from `c` of `generation`.

    `lean`: the State now as columns, without long lists of evidence (`trajectories/derive/lean.py`).
    """
    if lean:
        return lean_state(request, visible_run(request, run))
    try:
        return answer(replay.state(visible_run(request, run).pk, seconds(at), table or None))
    except replay.NoSuchTable:
        raise HttpError(422, f"table: must be one of {', '.join(sorted(TABLES))}") from None


@router.get("runs/{run}/changes")
def changes(request: HttpRequest, run: str, after: After = 0, limit: Limit = 2_000) -> HttpResponse:
    """Change records after `c`: `{"generation","last","n","changes":[[c,at,ref,op,table,key,fields],..]}`."""
    text = replay.changes(visible_run(request, run).pk, after, limit)
    return HttpResponse(text, content_type="application/json")


@router.get("runs/{run}/events")
def events(
    request: HttpRequest,
    run: str,
    after: After = 0,
    kind: str = "",
    worker: Annotated[int | None, Query(ge=1, le=65_535)] = None,
    limit: Limit = 500,
    newest: bool = False,
) -> HttpResponse:
    """Events in order of arrival, after number `n`; `kind` may be `pull.*` or several with commas.

    `newest`: the last of them instead of the first; not for kinds of steps.
    """
    found = visible_run(request, run)
    if newest:
        last, rows = listed.newest(found.pk, limit, kind)
    else:
        last, rows = listed.page(found.pk, after, limit, kind, worker)
    return answer({"last": last, "events": rows})


@router.get("runs/{run}/evidence/{source}/{id}")
def evidence(request: HttpRequest, run: str, source: str, id: str) -> HttpResponse:
    """The raw delivery behind a reference `source:id`, and the events it gave."""
    if source not in SOURCES:
        raise HttpError(422, f"source: must be one of {', '.join(SOURCES)}")
    found = evidence_of(visible_run(request, run).pk, source, id)
    if found is None:
        raise Http404(f"There is no delivery {source}:{id[:80]} in this run.")
    return answer(found)


@router.get("runs/{run}/notes/{note}/seen")
def seen(request: HttpRequest, run: str, note: int, at: float | None = None) -> HttpResponse:
    """The workers that had read up to this note: `{"note","workers":[..]}`."""
    tables = replay.state(visible_run(request, run).pk, seconds(at), "workers")["tables"]["workers"]
    readers = [row["worker"] for row in tables.values() if (row.get("board_seen") or 0) >= note]
    return answer({"note": note, "workers": sorted(readers)})


@router.get("runs/{run}/feeds")
def feeds(request: HttpRequest, run: str) -> HttpResponse:
    """How fresh each source is."""
    return answer({"feeds": feeds_of(visible_run(request, run).pk)})

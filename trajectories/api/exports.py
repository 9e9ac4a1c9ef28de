"""A run taken away as rows or traces."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router
from ninja.errors import HttpError

from runs.access import visible_run
from trajectories.api.streaming import streamed
from trajectories.export import EVENTS, NAMES, BadFilter, Filters, NoParquet, NoSuchTable, exported

router = Router()
Form = Literal["csv", "jsonl", "parquet", "perfetto", "otlp"]


@router.get("runs/{run}/export")
def export(
    request: HttpRequest,
    run: str,
    form: Form,
    table: str = EVENTS,
    worker: str = "",
    kind: str = "",
    since: str = "",
    until: str = "",
    q: str = "",
    status: str = "",
    fate: str = "",
    sort: str = "",
) -> StreamingHttpResponse:
    """`form` csv, jsonl or parquet of one `table`: of the State, a reading (what pages say) or `events`; perfetto or otlp of the trajectory. `kind` as for events; `since` and `until` in seconds since run.started. `q`, `status`, `fate` and `sort` narrow the ledgers."""
    found = visible_run(request, run)
    asked = {"worker": worker, "kind": kind, "since": since, "until": until, "q": q}
    asked |= {"status": status, "fate": fate, "sort": sort}
    try:
        file = exported(found, form, table, Filters.read(asked))
    except (BadFilter, NoParquet) as problem:
        raise HttpError(422, str(problem)) from None
    except NoSuchTable:
        raise HttpError(422, f"table: must be one of {', '.join(NAMES)}") from None
    return streamed(request, file.pieces, file.name, file.media_type)

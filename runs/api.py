"""HTTP API of runs: launch, list, look, cancel and act."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, cast

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Body, Header, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status

from runs import preflight
from runs.access import ApiAuth, Caller, operable_run, visible_run
from runs.catalog import known, with_task
from runs.launch import create_run
from runs.models import Action, Run
from runs.presets import PRESETS
from runs.spec import RunSpec, SpecError
from runs.summary import summary
from runs.validation import check_spec, parse_spec
from runs.views import submission as submitted

router = Router(auth=ApiAuth(), tags=["runs"])


class Acted(Schema):
    """What became of an action: it is written down; the monitor carries it out within a second or two."""

    action: str
    target: str
    run: str
    accepted: bool


@router.post("/runs", auth=ApiAuth("operator"), response={201: dict[str, Any], 200: dict[str, Any]})
def launch(
    request: HttpRequest,
    response: HttpResponse,
    body: Body[dict[str, Any]],
    idempotency_key: str | None = Header(None, alias="Idempotency-Key", max_length=100),
) -> Status[Any]:
    """Launch a run: its fields as JSON, upon the preset that `preset` names (default `demo`). The same Idempotency-Key twice gives the first run again, with 200."""
    found: Caller = request.auth  # type: ignore[attr-defined]
    spec = _asked(body)
    try:
        run, new = create_run(spec, person=found.person, idempotency_key=idempotency_key)
    except SpecError as problem:
        raise HttpError(422, str(problem)) from problem
    response["Location"] = f"/api/v1/runs/{run.slug}"
    return Status(201 if new else 200, summary(run))


@router.post("/preflight", auth=ApiAuth("operator"), response=dict[str, Any])
def check(request: HttpRequest, body: Body[dict[str, Any]]) -> dict[str, Any]:
    """What a launch of this body would find: every row of preflight, each failing one with what to do. Nothing is started."""
    spec = _asked(body)
    try:
        check_spec(spec, known())
    except SpecError as problem:
        raise HttpError(422, str(problem)) from problem
    rows = preflight.check(spec)
    return {"ready": all(row.ok for row in rows), "checks": [asdict(row) for row in rows]}


def _asked(body: dict[str, Any]) -> RunSpec:
    """The spec that a body asks for. Raises HttpError 422 that names the field."""
    preset = body.get("preset", "demo")
    if not isinstance(preset, str) or preset not in PRESETS:
        raise HttpError(422, f"preset: is unknown; choose one of {', '.join(PRESETS)}")
    try:
        return parse_spec(with_task(body), PRESETS[preset].spec)
    except SpecError as problem:
        raise HttpError(422, str(problem)) from problem


@router.get("/runs", response=dict[str, Any])
def runs(request: HttpRequest, status: str = "", group: str = "", limit: int = 50, before: int = 0) -> dict[str, Any]:
    """Runs, newest first; `before` = the id of the last one seen."""
    if not 1 <= limit <= 500:
        raise HttpError(422, "limit: must be from 1 to 500")
    found: QuerySet[Run] = Run.objects.order_by("-pk")
    found = found.filter(status=status) if status else found
    found = found.filter(group=group) if group else found
    found = found.filter(pk__lt=before) if before else found
    return {"runs": [summary(run, full=False) for run in found[:limit]]}


@router.get("/runs/{run}", response=dict[str, Any])
def look(request: HttpRequest, run: str) -> dict[str, Any]:
    """One run by slug or id."""
    return summary(visible_run(request, run))


@router.get("/runs/{run}/submission", response={200: None})
def submission(request: HttpRequest, run: str) -> HttpResponse:
    """What the team left, as one file: the tree of `main`. Its name says `interrupted` where the run was cut short."""
    return cast("HttpResponse", submitted.answer(visible_run(request, run)))


def _act(request: HttpRequest, name: str, action: str, target: str = "") -> Acted:
    run = operable_run(request, name)
    found: Caller = request.auth  # type: ignore[attr-defined]
    if target and not run.workers.filter(n=int(target)).exists():
        raise HttpError(422, f"worker: there is no worker {target} in this run")
    taken = Action.take(run, action, person=found.person, person_name=found.name, target=target)
    if taken is None:
        raise HttpError(409, f"The run is {run.status}; nothing can be done to it any more.")
    return Acted(action=action, target=target, run=run.slug, accepted=True)


@router.post("/runs/{run}/cancel", response={202: Acted})
def cancel(request: HttpRequest, run: str) -> Status[Acted]:
    """Cancel, in any phase; work so far is salvaged."""
    return Status(202, _act(request, run, "cancel"))


@router.post("/runs/{run}/end", response={202: Acted})
def end(request: HttpRequest, run: str) -> Status[Acted]:
    """End early, as ended: everything is drained and scored."""
    return Status(202, _act(request, run, "end"))


@router.post("/runs/{run}/workers/{int:worker}/nudge", response={202: Acted})
def nudge(request: HttpRequest, run: str, worker: int) -> Status[Acted]:
    """Prompt one worker once."""
    return Status(202, _act(request, run, "nudge", str(worker)))


@router.post("/runs/{run}/workers/{int:worker}/stop", response={202: Acted})
def stop_worker(request: HttpRequest, run: str, worker: int) -> Status[Acted]:
    """Stop one worker for good."""
    return Status(202, _act(request, run, "stop_worker", str(worker)))

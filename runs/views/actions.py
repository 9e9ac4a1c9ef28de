"""What an operator may do to a run: each is a row and an event with the person's name; the monitor carries it out."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from runs.access import gate, operable_run, require
from runs.models import Action

DONE = {
    "cancel": "Cancelling: work so far is kept and labelled.",
    "end": "Ending early: the last score is taken.",
    "nudge": "Nudged {}.",
    "stop_worker": "Stopping {}.",
}


@require_POST
@gate("operator")
def cancel(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop everything now, in any phase."""
    return _take(request, slug, "cancel")


@require_POST
@gate("operator")
def end_early(request: HttpRequest, slug: str) -> HttpResponse:
    """Let the run end as ended before its time."""
    return _take(request, slug, "end")


@require_POST
@gate("operator")
def nudge(request: HttpRequest, slug: str) -> HttpResponse:
    """Prompt one worker, named by `worker`."""
    return _take(request, slug, "nudge", of_worker=True)


@require_POST
@gate("operator")
def stop_worker(request: HttpRequest, slug: str) -> HttpResponse:
    """End one worker, named by `worker`; its peers go on."""
    return _take(request, slug, "stop_worker", of_worker=True)


def _take(request: HttpRequest, slug: str, action: str, *, of_worker: bool = False) -> HttpResponse:
    run, who, target = operable_run(request, slug), require(request, "operator"), ""
    if of_worker:
        n = request.POST.get("worker", "")
        worker = run.workers.filter(n=int(n)).first() if n.isascii() and n.isdigit() and len(n) < 6 else None
        if worker is None:
            return _answer(request, slug, False, f"This run has no worker {n[:20]!r}.", status=422)
        target = worker.name
    taken = Action.take(run, action, person=who.person, person_name=who.name, target=target)
    if taken is None:
        return _answer(request, slug, False, "The run is over; there is nothing to do.", status=409)
    return _answer(request, slug, True, DONE[action].format(target))


def _answer(request: HttpRequest, slug: str, ok: bool, text: str, status: int = 200) -> HttpResponse:
    """JSON for a script, a notice on the page it came from for a form."""
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"ok": ok, "text": text}, status=status)
    (messages.success if ok else messages.error)(request, text)
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return redirect(back if safe else f"/runs/{slug}/")

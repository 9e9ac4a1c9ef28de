"""`/import`: bring a recorded or simulated run in from its bundle, and see how far it is."""

from __future__ import annotations

import uuid
from pathlib import Path

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from runs.access import gate
from trajectories import bringing
from trajectories.bundle import BadBundle, import_bundle
from trajectories.bundle.layout import Bundle
from trajectories.models import ImportJob, now_ms

MOST_BYTES = 2 << 30
AT_ONCE_BYTES = 8 << 20  # a bigger one is brought in by a process of its own, so that pages answer
PHASES = {"simulating": "Simulate", "storing": "Store", "deriving": "Derive"}


@require_http_methods(["GET", "HEAD", "POST"])
@gate("operator")
def import_page(request: HttpRequest) -> HttpResponse:
    """The form; posted, the run's page, or the form again with what is wrong with the bundle."""
    if request.method != "POST":
        return render(request, "trajectories/import.html")
    upload = request.FILES.get("bundle")
    if upload is None:
        return _refuse(request, "Choose a file that ends in .agrun.zip.")
    if (upload.size or 0) > MOST_BYTES:
        return _refuse(
            request,
            f"The file is {upload.size:,} bytes; at most {MOST_BYTES:,} are taken here. Use manage.py import_run.",
        )
    path = _keep(upload)
    try:
        Bundle(path).close()
    except BadBundle as problem:
        path.unlink(missing_ok=True)
        return _refuse(request, _why(problem, path, upload.name))
    if (upload.size or 0) > AT_ONCE_BYTES:
        job = bringing.ask(upload.name or "bundle", path, request.user.get_username())
        return redirect("import-job", pk=job.pk)
    return _now(request, path, upload.name)


@require_safe
@gate("operator")
def job_page(request: HttpRequest, pk: int) -> HttpResponse:
    """How far an import is; asked for by the page itself, only the part that moves."""
    job = get_object_or_404(ImportJob.objects.select_related("run"), pk=pk)
    phases = [phase for phase in PHASES if phase != "simulating" or job.simulate]
    place = phases.index(job.phase) if job.phase in phases else -1
    steps = [(PHASES[phase], k < place or job.phase == "done", k == place) for k, phase in enumerate(phases)]
    name = "_job.html" if request.headers.get("HX-Request") else "job.html"
    return render(request, f"trajectories/{name}", {"job": job, "steps": steps, "seconds": _seconds(job)})


@require_POST
@gate("operator")
def big_run(request: HttpRequest) -> HttpResponse:
    """Bring in the big simulated run, or show the one that is here or on its way."""
    job = bringing.ask_big(request.user.get_username())
    if job.over and job.run is not None:
        return redirect("replay", slug=job.run.slug)
    return redirect("import-job", pk=job.pk)


@require_POST
@gate("operator")
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    """End an import that is under way; what is in of it stays."""
    get_object_or_404(ImportJob, pk=pk).stop(request.user.get_username())
    return redirect("import-job", pk=pk)


def _seconds(job: ImportJob) -> float:
    return ((job.moved_at if job.over else now_ms()) - job.started_at) / 1000


def _why(problem: BadBundle, path: Path, name: str | None) -> str:
    """What is wrong, of the file as the person named it: where it lies here says nothing to them."""
    return f"This is not a run bundle: {str(problem).replace(str(path), name or 'the file')}."


def _now(request: HttpRequest, path: Path, name: str | None) -> HttpResponse:
    try:
        done = import_bundle(path).as_json()
    except BadBundle as problem:
        return _refuse(request, _why(problem, path, name))
    finally:
        path.unlink(missing_ok=True)
    words = f"{done['stored']:,} deliveries stored, {done['duplicates']:,} known before, {done['rejected']:,} lines rejected."
    (messages.error if done["rejected"] else messages.success)(request, words)
    return redirect(f"/runs/{done['run']}/")


def _keep(upload: UploadedFile) -> Path:
    path = bringing.folder() / f"{uuid.uuid4().hex}.agrun.zip"
    with path.open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return path


def _refuse(request: HttpRequest, fault: str) -> HttpResponse:
    return render(request, "trajectories/import.html", {"fault": fault}, status=422)

"""`/import`: bring a recorded or simulated run in from its bundle."""

from __future__ import annotations

import logging
import uuid
from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from runs.access import gate
from trajectories.bundle import BadBundle, import_bundle
from trajectories.bundle.layout import Bundle

log = logging.getLogger(__name__)
MOST_BYTES = 2 << 30
AT_ONCE_BYTES = 8 << 20  # a bigger one is brought in by a task, so that the page answers


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
        return _refuse(request, f"This is not a run bundle: {problem}.")
    if (upload.size or 0) > AT_ONCE_BYTES:
        from trajectories.tasks import import_upload

        import_upload.delay(str(path))
        messages.success(request, "The bundle is being imported. It appears here and fills while it comes in.")
        return redirect("run-list")
    return _now(request, path)


def _now(request: HttpRequest, path: Path) -> HttpResponse:
    try:
        done = import_bundle(path).as_json()
    except BadBundle as problem:
        return _refuse(request, f"This is not a run bundle: {problem}.")
    finally:
        path.unlink(missing_ok=True)
    words = f"{done['stored']:,} deliveries stored, {done['duplicates']:,} known before, {done['rejected']:,} lines rejected."
    (messages.error if done["rejected"] else messages.success)(request, words)
    return redirect(f"/runs/{done['run']}/")


def _keep(upload: UploadedFile) -> Path:
    folder = Path(settings.DATA_DIR) / "uploads"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{uuid.uuid4().hex}.agrun.zip"
    with path.open("wb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return path


def _refuse(request: HttpRequest, fault: str) -> HttpResponse:
    return render(request, "trajectories/import.html", {"fault": fault}, status=422)

"""The submission of a run that is over: its team's `main` as one file, named so that an interrupted one is never taken for a whole one."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from runs.access import gate, visible_run
from runs.folder import RunFolder
from runs.models import Run


@require_safe
@gate("viewer")
def submission(request: HttpRequest, slug: str) -> FileResponse:
    """The file, or 404 while there is none."""
    return answer(visible_run(request, slug))


def answer(run: Run) -> FileResponse:
    """As a download. Raises Http404 if nothing was kept."""
    path = RunFolder.of(run.slug).submission
    if not path.is_file():
        raise Http404("This run has no submission: it is not over, or it left no commit.")
    cut = "-interrupted" if run.provenance.get("salvaged", {}).get("interrupted") else ""
    return FileResponse(path.open("rb"), as_attachment=True, filename=f"{run.slug}{cut}-submission.tar.gz")

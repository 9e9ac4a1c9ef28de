"""`/`: every run in a row, its score and its losses, with filter, sort and groups; the empty state leads to the demo."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs.access import gate
from runs.models import Run


@gate("viewer")
def run_list(request: HttpRequest) -> HttpResponse:
    """The list, newest first."""
    return render(request, "trajectories/run_list.html", {"runs": Run.objects.all()})

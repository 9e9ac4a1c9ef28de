"""Addresses of trajectories: the list of runs, every page of a run, comparison. Each page passes the gate of `runs.access`."""

from __future__ import annotations

from django.urls import path

from trajectories.views import compare, decided, imports, run_list

urlpatterns = [
    path("", run_list.run_list, name="run-list"),
    path("compare", compare.compare, name="compare"),
    path("import", imports.import_page, name="import"),
    path("decided", decided.decided, name="decided"),
]

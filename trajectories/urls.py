"""Addresses of trajectories: the list of runs, every page of a run, comparison. Each page passes the gate of `runs.access`."""

from __future__ import annotations

from django.urls import path

from trajectories import receivers
from trajectories.views import compare, decided, evidence, imports, joined, live, replay, run_list, transcript

urlpatterns = [
    *receivers.urlpatterns,
    path("", run_list.run_list, name="run-list"),
    path("compare", compare.compare, name="compare"),
    path("import", imports.import_page, name="import"),
    path("decided", decided.decided, name="decided"),
    path("runs/<slug:slug>/", live.live, name="live"),
    path("runs/<slug:slug>/claims/<str:key>", joined.claim, name="claim"),
    path("runs/<slug:slug>/story/<str:table>/<str:key>", joined.story, name="story"),
    path("runs/<slug:slug>/replay", replay.replay, name="replay"),
    path("runs/<slug:slug>/pulls/<int:number>", joined.pull, name="pull"),
    path("runs/<slug:slug>/workers/<int:number>", joined.worker, name="worker"),
    path("runs/<slug:slug>/workers/<int:number>/transcript", transcript.transcript, name="transcript"),
    path("runs/<slug:slug>/evidence/<str:source>/<str:id>", evidence.evidence, name="evidence"),
]

"""Addresses of trajectories: the list of runs, every page of a run, comparison. Each page passes the gate of `runs.access`."""

from __future__ import annotations

from django.urls import path

from trajectories import receivers
from trajectories.views import (
    compare,
    decided,
    evidence,
    exports,
    imports,
    joined,
    knows,
    ledgers,
    live,
    proof,
    replay,
    run_list,
    search,
    team,
    transcript,
)

urlpatterns = [
    *receivers.urlpatterns,
    path("", run_list.run_list, name="run-list"),
    path("compare", compare.compare, name="compare"),
    path("import", imports.import_page, name="import"),
    path("import/simulated", imports.big_run, name="import-big"),
    path("import/<int:pk>", imports.job_page, name="import-job"),
    path("import/<int:pk>/stop", imports.stop, name="import-stop"),
    path("decided", decided.decided, name="decided"),
    path("search", search.search_page, name="search"),
    path("runs/<slug:slug>/", live.live, name="live"),
    path("runs/<slug:slug>/team", team.team, name="team"),
    path("runs/<slug:slug>/team/<str:author>/<str:reviewer>", team.pair, name="pair"),
    path("runs/<slug:slug>/claims", ledgers.claims, name="claims"),
    path("runs/<slug:slug>/pulls", ledgers.pulls, name="pulls"),
    path("runs/<slug:slug>/behaviours", team.behaviours, name="behaviours"),
    path("runs/<slug:slug>/summary", team.summary, name="summary"),
    path("runs/<slug:slug>/claims/<str:key>", joined.claim, name="claim"),
    path("runs/<slug:slug>/proof/<str:table>/<path:key>", proof.proof, name="proof"),
    path("runs/<slug:slug>/story/<str:table>/<str:key>", joined.story, name="story"),
    path("runs/<slug:slug>/export", exports.export_page, name="export"),
    path("runs/<slug:slug>/replay", replay.replay, name="replay"),
    path("runs/<slug:slug>/pulls/<int:number>", joined.pull, name="pull"),
    path("runs/<slug:slug>/workers/<int:number>", joined.worker, name="worker"),
    path("runs/<slug:slug>/workers/<int:number>/transcript", transcript.transcript, name="transcript"),
    path("runs/<slug:slug>/workers/<int:number>/knows", knows.knows, name="knows"),
    path("runs/<slug:slug>/evidence/<str:source>/<str:id>", evidence.evidence, name="evidence"),
]

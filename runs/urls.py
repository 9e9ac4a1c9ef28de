"""Addresses of runs: `/runs/new`, the actions and the people. Lists and pages of a run live in `trajectories`."""

from __future__ import annotations

from django.urls import path

from runs.views import actions, launching, new_run, offers, people, sign_in, submission, tokens

urlpatterns = [
    path("runs/new", new_run.new_run, name="run-new"),
    path("runs/new/check", new_run.check, name="run-check"),
    path("runs/<slug:slug>/launch", launching.launching, name="run-launch"),
    path("runs/<slug:slug>/phases", launching.phases, name="run-phases"),
    path("runs/<slug:slug>/actions/cancel", actions.cancel, name="run-cancel"),
    path("runs/<slug:slug>/actions/end", actions.end_early, name="run-end"),
    path("runs/<slug:slug>/actions/nudge", actions.nudge, name="run-nudge"),
    path("runs/<slug:slug>/actions/stop-worker", actions.stop_worker, name="run-stop-worker"),
    path("runs/<slug:slug>/submission.tar.gz", submission.submission, name="run-submission"),
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-in/link/<str:token>", sign_in.sign_in_by_link, name="sign-in-link"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("password", sign_in.password, name="password"),
    path("people", people.person_list, name="people"),
    path("people/add", people.person_add, name="person-add"),
    path("people/<int:pk>/link", people.person_link, name="person-link"),
    path("people/<int:pk>/role", people.person_role, name="person-role"),
    path("people/<int:pk>/disable", people.person_disable, name="person-disable"),
    path("people/<int:pk>/enable", people.person_enable, name="person-enable"),
    path("people/<int:pk>/sign-out", people.person_sign_out, name="person-sign-out"),
    path("models", offers.offers, name="offers"),
    path("models/endpoints", offers.endpoint_save, name="endpoint-save"),
    path("models/endpoints/<int:pk>/forget-key", offers.key_forget, name="key-forget"),
    path("models/endpoints/<int:pk>/remove", offers.endpoint_remove, name="endpoint-remove"),
    path("models/prices", offers.price_save, name="price-save"),
    path("models/prices/<int:pk>/remove", offers.price_remove, name="price-remove"),
    path("models/<int:pk>/retire", offers.model_retire, name="model-retire"),
    path("tokens", tokens.token_list, name="tokens"),
    path("tokens/add", tokens.token_add, name="token-add"),
    path("tokens/<int:pk>/revoke", tokens.token_revoke, name="token-revoke"),
]

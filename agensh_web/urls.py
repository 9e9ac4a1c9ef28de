"""Every address of the app, by room."""

from __future__ import annotations

from django.urls import include, path

from agensh_web.api import api
from agensh_web.api_page import api_page
from agensh_web.health import live, ready

urlpatterns = [
    path("health/live", live),
    path("health/ready", ready),
    path("api", api_page, name="api"),
    path("api/v1/", api.urls),
    path("", include("runs.urls")),
    path("", include("trajectories.urls")),
]

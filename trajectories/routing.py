"""Addresses of sockets."""

from __future__ import annotations

from django.urls import path

from trajectories.consumers import RunConsumer

websocket_urlpatterns = [path("ws/runs/<slug:slug>/", RunConsumer.as_asgi())]

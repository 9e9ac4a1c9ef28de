"""Addresses of runs: the list, `/runs/new`, the actions and the people."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []

"""How commands read their arguments."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError

from django.core.management.base import CommandError
from django.http import Http404

from runs.access import find_run
from runs.models import Run


def named_run(name: str) -> Run:
    """The run by slug or id; exit 2 with one line if there is none."""
    try:
        return find_run(name)
    except Http404:
        known = ", ".join(Run.objects.values_list("slug", flat=True)[:5]) or "none yet"
        raise CommandError(f"RUN: there is no run {name!r}; the newest are: {known}", returncode=2) from None


def finite(text: str) -> float:
    """A number of seconds."""
    value = float(text)
    if not math.isfinite(value) or abs(value) > 1e10:
        raise ArgumentTypeError("must be a number of seconds")
    return value

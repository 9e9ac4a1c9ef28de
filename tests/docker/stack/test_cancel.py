"""A cancel, in whatever phase it comes, leaves no container, network or volume within 15 s beyond the containers' own grace."""

from __future__ import annotations

import time

import pytest

from tests.docker.stack.production import Production
from tests.docker.stack.proof import nothing_left

pytestmark = pytest.mark.docker
GRACE_S, BEYOND_S = 8, 15
PHASES = ("preflight", "services", "bootstrap", "workers", "running", "stopping", "draining")


@pytest.mark.parametrize("phase", PHASES)
def test_a_cancel_leaves_nothing(production: Production, phase: str) -> None:
    slug = production.launch(name=f"Cancelled {phase}", workers=2)
    if phase in {"stopping", "draining"}:
        production.until(slug, lambda told: told["phase"] == "running", 150)
        production.end_early(slug)
    if phase != "preflight":  # that is what a run is at as soon as it is launched
        production.until(slug, lambda told: told["phase"] == phase, 150)
    production.ask("POST", f"/runs/{slug}/cancel")
    began = time.monotonic()
    told = production.wait(slug, "cancelled", 60)
    took = time.monotonic() - began
    nothing_left(production)
    print(f"cancelled while {phase}: {took:.1f} s")
    assert took < GRACE_S + BEYOND_S
    if phase in {"running", "stopping", "draining"}:
        kept = told["provenance"]["salvaged"]
        assert kept["interrupted"] is True and kept["commit"]

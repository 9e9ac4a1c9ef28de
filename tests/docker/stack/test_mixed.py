"""A team in which each agent CLI works in a container of the image that holds all of them, beside `mini`."""

from __future__ import annotations

import pytest

from tests.docker.stack.production import Production
from tests.docker.stack.proof import complete, nothing_left

pytestmark = pytest.mark.docker


def test_a_mixed_team_works_in_containers(production: Production) -> None:
    mix = {"copilot": 1, "claude": 1, "codex": 1, "mini": 1}
    slug = production.launch(name="Mixed", preset="mixed", workers=4, harnesses=mix, memory_gib=2, duration_s=300)
    told = production.wait(slug, "ended", 480)
    workers = production.table(slug, "workers")
    sessions = {event["fields"]["harness"].split("/")[0] for event in production.events(slug, "session.opened")}
    print("mixed team:", told["reason"], told["score"], {n: row["steps"] for n, row in workers.items()})
    assert sessions == set(mix)
    assert all(row["steps"] > 0 and row["output_tokens"] > 0 for row in workers.values())
    complete(production, slug)
    nothing_left(production)

"""A team in which each agent CLI works in a container of the image that holds all of them, beside `mini`."""

from __future__ import annotations

import pytest

from runs.harnesses import NEED_MIB
from tests.docker.stack.production import Production
from tests.docker.stack.proof import complete, nothing_left

pytestmark = pytest.mark.docker


def test_a_mixed_team_works_in_containers(production: Production) -> None:
    mix = {"copilot": 1, "claude": 1, "codex": 1, "mini": 1}
    slug = production.launch(name="Mixed", preset="mixed", workers=4, harnesses=mix, memory_gib=2, duration_s=300)
    told = production.wait(slug, "ended", 480)
    workers = production.table(slug, "workers")
    opened = production.events(slug, "session.opened")
    on = {event["worker"]: event["fields"]["harness"].split("/")[0] for event in opened}
    print("mixed team:", told["reason"], told["score"], {n: row["steps"] for n, row in workers.items()})
    assert set(on.values()) == set(mix)
    taken: dict[str, int] = {}
    for sample in production.events(slug, "usage.sampled"):
        name = on.get(sample["worker"], "mini")
        taken[name] = max(taken.get(name, 0), sample["fields"]["rss_mb"])
    print("MiB at the peak:", taken)
    assert taken and all(mib <= NEED_MIB[name] for name, mib in taken.items()), "preflight counts on no less"
    assert all(row["steps"] > 0 and row["output_tokens"] > 0 for row in workers.values())
    complete(production, slug)
    nothing_left(production)

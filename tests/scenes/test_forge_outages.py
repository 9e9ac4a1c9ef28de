"""Hooks told twice, a forge, a database and a receiver that go away and come back: nothing is lost, nothing doubled.

The same scenes on the stand-in and, where AGENSH_GITEA names its program, on a real Gitea with its PostgreSQL.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.scenes.forge_scene import Scene, ms, of, once, opened, sees, told
from tests.scenes.forges import ForgePlace, Real
from trajectories.sources.outbox import reading

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]


def test_hooks_redelivered_from_the_page_mean_nothing_new(scene: Scene, place: ForgePlace) -> None:
    number = opened(scene)
    scene.team.review("w0002", number)
    scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    before = scene.heard.state()["tables"]
    with reading(place.outbox) as box:
        rows = box.rows("SELECT uuid, event_type, payload_content FROM hook_task ORDER BY id")
    mine = [row for row in rows if f'"{scene.team.forge.owner}/calc"' in row["payload_content"]]
    kinds = ("create", "push", "pull_request", "pull_request_review_approved")
    again = {kind: [row["uuid"] for row in mine if row["event_type"] == kind][-1] for kind in kinds}
    known = {each["id"] for each in scene.events()}
    for uuid in again.values():
        place.redeliver(scene.repo, uuid)
    scene.listen(lambda heard: len({each["id"] for each in heard} - known) >= len(kinds))
    after = scene.heard.state()["tables"]
    for table in ("pulls", "reviews", "branches", "claims", "workers"):
        assert _moved(before[table], after[table]) == {}, table


def _moved(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Every field that is not as it was."""
    return {
        f"{key}.{name}": (before.get(key, {}).get(name), value)
        for key, row in after.items()
        for name, value in row.items()
        if before.get(key, {}).get(name) != value
    }


def test_the_forge_is_restarted_while_a_team_works(scene: Scene, place: ForgePlace) -> None:
    number = opened(scene)
    scene.listen(lambda heard: of(heard, "pull.opened"))
    place.restart()
    scene.team.review("w0002", number)
    events = scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    once(events, ("pull.opened", 1), ("review.submitted", 2), ("branch.created", 1))
    assert scene.heard.fault("gitea") == ""


def test_its_database_is_restarted_while_a_team_works(scene: Scene, place: ForgePlace) -> None:
    number = opened(scene)
    scene.listen(lambda heard: of(heard, "pull.opened"))
    if isinstance(place, Real):
        place.restart_database()
    else:
        place.restart()  # its database lives in its own process
    _patiently(lambda: scene.team.review("w0002", number))
    events = scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    once(events, ("pull.opened", 1), ("review.submitted", 2), ("branch.created", 1))
    assert scene.heard.fault("gitea") == ""


def _patiently(ask: Callable[[], Any]) -> None:
    """As a worker's tools do: again, while the forge comes back."""
    for _ in range(60):
        try:
            ask()
        except (AssertionError, httpx.HTTPError):
            time.sleep(0.5)
        else:
            return
    raise AssertionError("the forge did not come back")


def test_the_receiver_is_away_and_nothing_is_lost(scene: Scene, place: ForgePlace) -> None:
    away_s = float(os.environ.get("AGENSH_AWAY_S") or (120 if place.real else 4))
    scene.team.receiver.leave()  # and nobody listens meanwhile: the whole app is away
    began = time.time() * 1000 - 1500
    number = opened(scene)
    scene.team.review("w0002", number)
    scene.team.merge("w0003", number)
    done = time.time() * 1000 + 1500
    time.sleep(away_s)
    scene.team.receiver.come_back()
    events = scene.listen(sees(number, state="merged"))
    once(events, ("branch.created", 1), ("pull.opened", 1), ("review.submitted", 2), ("pull.merged", 3))
    hooks = [each for each in events if each["kind"] not in ("pull.observed", "refs.observed")]
    # A try that fails is marked at its end: an event is at most the time-out of a delivery late.
    assert all(began <= ms(each["at"]) <= done + 6_000 for each in hooks), [
        (each["kind"], ms(each["at"]) - done) for each in hooks
    ]
    [merge] = of(events, "pull.merged")
    assert began <= ms(merge["said_at"]) <= done
    scene.heard.again()
    scene.listen(lambda heard: True)
    assert Counter(map(told, scene.events())) == Counter(map(told, events))

"""From the stand-ins through outbox and sweeps to events: the same reading as of the real ones."""

from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

from standins.calls import differences
from standins.forge.app import CALLS
from tests.docker.standins.team import ForgeTeam, said
from trajectories.events import Event
from trajectories.sources import gitea
from trajectories.sources.base import Skipped


class Listener:
    """Reads a forge as a run's listener does; the clock of the sweeps goes as fast as the test asks."""

    def __init__(self, forge: ForgeTeam) -> None:
        token = forge.folder / "listener.token"
        asked = {"name": f"listener-{time.time_ns()}", "scopes": ["all"]}
        token.write_text(said(forge.api["agensh"].post("/users/agensh/tokens", json=asked))["sha1"], "utf-8")
        self.endpoints = {
            "forge": {
                "url": forge.service.url,
                "owner": "team",
                "repo": "calc",
                "outbox": f"sqlite:///{forge.service.data_dir / 'forge.db'}",
                "admin_token": {"token_file": str(token)},
                "sweep_s": 1,
                "conflict_s": 5,
            }
        }
        self.cursor: Any = None
        self.now = time.time_ns() // 1_000_000
        self.ids: list[str] = []

    def events(self, seconds: int = 12) -> list[Event]:
        """Everything heard within so many seconds of the sweeps' clock."""
        found: list[Event] = []
        for _ in range(seconds):
            self.now += 1_000
            got = gitea.pull(self.endpoints, self.cursor, now=self.now)
            self.cursor = json.loads(json.dumps(got.cursor))
            assert self.cursor["sweep"].get("error") is None
            self.ids += [each.id for each in got.deliveries]
            for delivery in got.deliveries:
                parsed = gitea.parse(delivery)
                assert not isinstance(parsed, Skipped), parsed
                found += parsed
        return found

    def next_second(self) -> None:
        """`updated_at` knows whole seconds; the sweeps' clock here runs ahead of them, a real one does not."""
        time.sleep(1.05 - time.time() % 1)

    def last_look(self, number: int, events: list[Event]) -> dict[str, Any]:
        looks = [event.fields for event in events if event.kind == "pull.observed" and event.fields["number"] == number]
        return dict(looks[-1])


def test_a_team_is_heard_whole_and_what_no_webhook_tells_is_seen(forge: ForgeTeam) -> None:
    forge.hook("http://127.0.0.1:9/nobody")
    listener = Listener(forge)
    forge.commit("w0001", "w0001/hear", {"hear.txt": "x\n"}, "Hear")
    forge.commit("w0002", "w0002/hear", {"hear.txt": "y\n"}, "Hear too")
    one, two = forge.pull("w0001", "w0001/hear"), forge.pull("w0002", "w0002/hear")
    review = forge.review("w0003", one)["id"]
    heard = listener.events()
    kinds = [event.kind for event in heard]
    for kind in ("branch.created", "commits.pushed", "pull.opened", "review.submitted", "pull.observed"):
        assert kind in kinds
    assert listener.last_look(one, heard)["conflict"] == "false"

    listener.next_second()
    said(forge.api["w0003"].post(f"{forge.repo}/pulls/{one}/reviews/{review}/dismissals", json={"message": "1e5"}))
    look = listener.last_look(one, listener.events())
    assert [(each["dismissed"], each["dismissed_by"]) for each in look["reviews"]] == [(True, "gitea:w0003")]

    listener.next_second()
    said(forge.api["w0003"].delete(f"{forge.repo}/pulls/{one}/reviews/{review}"))
    assert listener.last_look(one, listener.events())["reviews"] == []

    listener.next_second()
    forge.merge("w0003", one)
    heard = listener.events()
    assert [event.actor for event in heard if event.kind == "pull.merged"] == ["gitea:w0003"]
    assert listener.last_look(one, heard)["state"] == "merged"
    assert listener.last_look(two, heard)["conflict"] == "true"

    db = sqlite3.connect(f"file:{forge.service.data_dir / 'forge.db'}?mode=ro", uri=True)
    stored = [uuid for (uuid,) in db.execute("SELECT uuid FROM hook_task ORDER BY id")]
    db.close()
    heard_ids = [id for id in listener.ids if not id.startswith(("pull-", "refs-"))]
    assert heard_ids == stored
    assert len(set(listener.ids)) == len(listener.ids)
    assert differences(forge.service.data_dir, CALLS)[0] == []

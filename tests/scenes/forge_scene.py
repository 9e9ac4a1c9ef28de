"""A team on a forge, a run that listens to it, and the words in which scenes ask what was heard."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.scenes.forge_team import SceneTeam
from tests.scenes.forges import ForgePlace
from tests.scenes.listener import Heard

Events = list[dict[str, Any]]
WITHIN_S = 90.0  # a machine shared with others


class Scene:
    """A team, a run that listens to it, and what was heard."""

    def __init__(self, place: ForgePlace, name: str, folder: Path) -> None:
        self.team = SceneTeam(place, f"scene-{name}"[:40], folder)
        self.heard = Heard(f"scene-{time.time_ns()}", self.team.endpoints, self.team.roster)
        self.api, self.repo = self.team.api, self.team.repo

    def listen(self, until: Callable[[Events], Any], calm_s: float = 1.5) -> Events:
        """Listen until it is so, then for some sweeps more: what comes twice comes by then. All events so far, by time."""
        end = time.monotonic() + WITHIN_S
        calm: float | None = None
        while calm is None or time.monotonic() < calm:
            self.heard.listener.turn()
            events = self.events()
            if calm is None and until(events):
                calm = time.monotonic() + calm_s
            assert time.monotonic() < end, [told(each) for each in events]
            time.sleep(0.1)
        return self.events()

    def events(self) -> Events:
        return sorted(self.heard.events("gitea"), key=lambda event: (event["at"], event["n"]))

    def row(self, table: str, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self.heard.state()["tables"][table][key]
        return found

    def pull(self, number: int) -> dict[str, Any]:
        return self.row("pulls", str(number))


def told(event: dict[str, Any]) -> tuple[str, Any]:
    return event["kind"], event["worker"] or event["actor"]


def of(events: Events, kind: str) -> Events:
    return [each for each in events if each["kind"] == kind]


def looks(events: Events, number: int) -> list[dict[str, Any]]:
    return [each["fields"] for each in of(events, "pull.observed") if each["fields"]["number"] == number]


def sees(number: int, **wanted: Any) -> Callable[[Events], bool]:
    """The newest sweep of the pull shows it so; `reviews` as (login, verdict, dismissed, stale)."""

    def so(events: Events) -> bool:
        found = looks(events, number)
        return bool(found) and all(_shown(found[-1], name) == value for name, value in wanted.items())

    return so


def _shown(look: dict[str, Any], name: str) -> Any:
    if name != "reviews":
        return look.get(name)
    return [
        (each["actor"].removeprefix("gitea:"), each["verdict"], each["dismissed"], each["stale"])
        for each in look["reviews"]
    ]


def once(events: Events, *pairs: tuple[str, Any]) -> None:
    """Each of these was told exactly once."""
    counted = Counter(map(told, events))
    assert {pair: counted[pair] for pair in pairs} == dict.fromkeys(pairs, 1), counted


def ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000)


def opened(scene: Scene, name: str = "n1", file: str = "a.txt") -> int:
    """A pull of w0001 that adds a file."""
    scene.team.commit("w0001", f"w0001/{name}", {file: "x\n"}, f"Add {file}")
    return scene.team.pull("w0001", f"w0001/{name}", body="Claim: n1")

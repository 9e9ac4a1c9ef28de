"""What happens to a team's pulls, scene by scene: each once, with the right worker, time and meaning.

The same scenes on the stand-in and, where AGENSH_GITEA names its program, on a real Gitea with its PostgreSQL.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docker.standins.team import said
from tests.scenes.forge_team import SceneTeam
from tests.scenes.forges import ADMIN, ForgePlace, Real, places, standing
from tests.scenes.listener import Heard

pytestmark = pytest.mark.django_db(transaction=True)
Events = list[dict[str, Any]]
WITHIN_S = 90.0  # a machine shared with others


@pytest.fixture(scope="module", params=places())
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForgePlace]:
    with standing(request.param, tmp_path_factory.mktemp("forge")) as found:
        yield found


class Scene:
    """A team, a run that listens to it, and what was heard."""

    def __init__(self, place: ForgePlace, name: str, folder: Path) -> None:
        self.team = SceneTeam(place, f"scene-{name}"[:40], folder)
        self.heard = Heard(f"scene-{time.time_ns()}", self.team.endpoints, self.team.roster)
        self.api, self.repo = self.team.api, self.team.repo

    def listen(self, until: Callable[[Events], Any], calm_s: float = 2.5) -> Events:
        """Listen until it is so, then for two sweeps more: what comes twice comes by then. All events so far, by time."""
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


@pytest.fixture
def scene(place: ForgePlace, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    name = request.node.originalname.removeprefix("test_")[:12].strip("_").replace("_", "-")
    made = Scene(place, f"{name}-{time.time_ns() % 10**8}", tmp_path)
    yield made
    made.team.close()


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


def test_a_pull_from_branch_to_merge_is_told_once(scene: Scene) -> None:
    began = time.time() * 1000 - 1500
    number = opened(scene)
    scene.team.review("w0002", number, body="fine\r\nby me")
    said(scene.api["w0002"].post(f"{scene.repo}/issues/{number}/comments", json={"body": "two words"}))
    scene.team.merge("w0003", number)
    events = scene.listen(lambda heard: of(heard, "pull.merged") and sees(number, state="merged")(heard))
    once(
        events,
        ("branch.created", 1),
        ("pull.opened", 1),
        ("review.submitted", 2),
        ("comment.posted", 2),
        ("pull.merged", 3),
    )
    assert all(began <= ms(each["at"]) <= time.time() * 1000 for each in events if each["kind"] != "pull.observed")
    pushes = [(each["fields"]["branch"], each["worker"]) for each in of(events, "commits.pushed")]
    assert sorted(pushes) == [("main", 3), ("w0001/n1", 1)]
    row = scene.pull(number)
    assert (row["status"], row["author"], row["merged_by"]) == ("merged", 1, 3)
    review = scene.row("reviews", f"{number}.2.1")
    assert (review["verdict"], review["status"], review["author"]) == ("approved", "standing", 1)
    assert len(scene.heard.state()["tables"]["reviews"]) == 1
    assert {kind for kind, _ in scene.team.receiver.heard} >= {"push", "create", "pull_request"}
    assert all(signed for _, signed in scene.team.receiver.heard)


def test_an_approval_is_dismissed_and_undismissed(scene: Scene) -> None:
    number = opened(scene)
    review = scene.team.review("w0002", number)["id"]
    scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    path = f"{scene.repo}/pulls/{number}/reviews/{review}"
    said(scene.api[ADMIN].post(f"{path}/dismissals", json={"message": "1e5 fails"}))
    events = scene.listen(sees(number, reviews=[("w0002", "approved", True, False)]))
    assert looks(events, number)[-1]["reviews"][0]["dismissed_by"] == f"gitea:{ADMIN}"
    assert scene.row("reviews", f"{number}.2.1")["status"] == "dismissed"
    said(scene.api[ADMIN].post(f"{path}/undismissals"))
    events = scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    once(events, ("review.submitted", 2), ("pull.opened", 1))
    assert scene.row("reviews", f"{number}.2.1")["status"] == "standing"


def test_an_approval_goes_stale_with_a_push(scene: Scene) -> None:
    number = opened(scene)
    scene.team.review("w0002", number)
    scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    scene.team.commit("w0001", "w0001/n1", {"a.txt": "y\n"}, "Other content")
    events = scene.listen(sees(number, reviews=[("w0002", "approved", False, True)]))
    once(events, ("pull.pushed", 1), ("review.submitted", 2))
    assert scene.row("reviews", f"{number}.2.1")["status"] == "stale"


def test_an_approval_is_dismissed_by_the_rule_when_pushed_to(scene: Scene) -> None:
    said(scene.api[ADMIN].patch(f"{scene.repo}/branch_protections/main", json={"dismiss_stale_approvals": True}))
    number = opened(scene)
    scene.team.review("w0002", number)
    scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    scene.team.commit("w0001", "w0001/n1", {"a.txt": "y\n"}, "Other content")
    scene.listen(sees(number, reviews=[("w0002", "approved", True, True)]))
    assert scene.row("reviews", f"{number}.2.1")["status"] == "dismissed"


def test_a_review_is_deleted_by_its_reviewer(scene: Scene) -> None:
    number = opened(scene)
    review = scene.team.review("w0002", number)["id"]
    scene.listen(sees(number, reviews=[("w0002", "approved", False, False)]))
    said(scene.api["w0002"].delete(f"{scene.repo}/pulls/{number}/reviews/{review}"))
    events = scene.listen(sees(number, reviews=[]))
    once(events, ("review.submitted", 2))
    assert scene.row("reviews", f"{number}.2.1")["status"] == "withdrawn"


def test_inline_comments_are_read_with_their_review(scene: Scene) -> None:
    number = opened(scene)
    comments = [{"path": "a.txt", "body": "why x?", "new_position": 1}]
    asked = {"event": "COMMENT", "body": "", "comments": comments}
    answer = scene.api["w0002"].post(f"{scene.repo}/pulls/{number}/reviews", json=asked)
    said(answer)
    events = scene.listen(lambda heard: of(heard, "review.submitted") and sees(number, reviews=[("w0002", "commented", False, False)])(heard))  # fmt: skip
    once(events, ("review.submitted", 2))
    inline = [each["inline"] for look in looks(events, number) for each in look["reviews"] if "inline" in each]
    assert inline == [[{"path": "a.txt", "line": 1, "text": "why x?"}]]
    assert len(scene.heard.state()["tables"]["reviews"]) == 1


def test_a_pull_conflicts_after_another_merge_and_is_rebased(scene: Scene) -> None:
    team = scene.team
    for name in ("w0001", "w0002"):
        team.commit(name, f"{name}/core", {"core.txt": f"one\n{name}\nthree\n"}, f"Change two for {name}")
    first, second = team.pull("w0001", "w0001/core"), team.pull("w0002", "w0002/core")
    scene.listen(lambda heard: sees(first, conflict="false")(heard) and sees(second, conflict="false")(heard))
    team.merge("w0003", first)
    scene.listen(sees(second, conflict="true"))
    assert scene.pull(second)["conflict"] == "true"
    team.git("w0002", "fetch", "--quiet", "origin")
    assert team.git("w0002", "rebase", "origin/main", check=False).returncode != 0
    (team.folder / "w0002" / "core.txt").write_text("one\nboth\nthree\n", "utf-8")
    team.git("w0002", "add", "core.txt")
    team.git("w0002", "rebase", "--continue")
    team.git("w0002", "push", "--quiet", "--force", "origin", "w0002/core")
    events = scene.listen(sees(second, conflict="false"))
    assert [told(each) for each in of(events, "pull.pushed")] == [("pull.pushed", 2)]
    row = scene.row("branches", "w0002/core")
    assert (row["sha"], row["gaps"]) == (team.git("w0002", "rev-parse", "HEAD").stdout.strip(), 0)
    assert scene.pull(second)["conflict"] == "false"


def test_a_pull_is_retargeted_closed_and_reopened(scene: Scene) -> None:
    team = scene.team
    team.commit("w0002", "release", {"r.txt": "r\n"}, "Begin a release")
    number = opened(scene)
    scene.listen(sees(number, base="main"))
    path = f"{scene.repo}/pulls/{number}"
    said(scene.api["w0001"].patch(path, json={"base": "release"}))
    scene.listen(sees(number, base="release"))
    assert scene.pull(number)["base"] == "release"
    said(scene.api["w0001"].patch(path, json={"state": "closed"}))
    scene.listen(sees(number, state="closed"))
    assert scene.pull(number)["status"] == "closed"
    said(scene.api["w0001"].patch(path, json={"state": "open"}))
    events = scene.listen(sees(number, state="open"))
    once(events, ("pull.opened", 1), ("pull.closed", 1), ("pull.reopened", 1))
    assert scene.pull(number)["status"] == "open"


def test_a_branch_is_deleted_after_its_merge(scene: Scene) -> None:
    number = opened(scene)
    scene.team.merge("w0002", number)
    said(scene.api["w0002"].delete(f"{scene.repo}/branches/w0001/n1"))
    events = scene.listen(lambda heard: of(heard, "branch.deleted"))
    once(events, ("branch.deleted", 2), ("pull.merged", 2))
    assert scene.row("branches", "w0001/n1")["deleted_at"]
    assert scene.pull(number)["status"] == "merged"


def test_a_tag_is_no_branch(scene: Scene) -> None:
    scene.team.commit("w0001", "w0001/t", {"t.txt": "t\n"}, "Tag this")
    scene.team.git("w0001", "tag", "v1")
    scene.team.git("w0001", "push", "--quiet", "origin", "v1")
    scene.listen(lambda heard: of(heard, "branch.created"))
    assert set(scene.heard.state()["tables"]["branches"]) <= {"main", "w0001/t"}


def test_a_force_push_moves_the_head_without_a_gap(scene: Scene) -> None:
    number = opened(scene)
    scene.listen(sees(number, state="open"))
    team = scene.team
    team.git("w0001", "commit", "--quiet", "--amend", "-m", "Say it better")
    team.git("w0001", "push", "--quiet", "--force", "origin", "w0001/n1")
    head = team.git("w0001", "rev-parse", "HEAD").stdout.strip()
    events = scene.listen(lambda heard: sees(number, head_sha=head)(heard) and of(heard, "pull.pushed"))
    assert [told(each) for each in of(events, "pull.pushed")] == [("pull.pushed", 1)]
    row = scene.row("branches", "w0001/n1")
    assert (row["sha"], row["gaps"]) == (head, 0)


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

"""What was seen on a real Gitea, written down, holds for the stand-in; and for a real one where there is one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docker.standins.team import said, until
from tests.scenes.forge_team import SceneTeam
from tests.scenes.forges import ADMIN, ForgePlace

SEEN = json.loads((Path(__file__).parents[1] / "fixtures" / "contracts" / "gitea_observed.json").read_text())
CORE = "one\n{}\nthree\n"


@pytest.fixture
def team(place: ForgePlace, tmp_path: Path) -> Iterator[SceneTeam]:
    made = SceneTeam(place, f"seen-{time.time_ns() % 10**10}", tmp_path)
    yield made
    made.close()


def reviews(team: SceneTeam, number: int) -> list[list[str]]:
    return [
        [row["user"]["login"], row["state"], *(name for name in ("dismissed", "stale", "official") if row[name])]
        for row in team.see(number, "/reviews")
    ]


def told(team: SceneTeam, number: int) -> dict[str, Any]:
    """Whom a pull names as reviewers, in a list and alone, and the rows of its reviews."""
    listed = said(team.api["w0001"].get(f"{team.repo}/pulls", params={"state": "all"}))
    [row] = [row for row in listed if row["number"] == number]
    names = [row["requested_reviewers"], team.see(number)["requested_reviewers"]]
    found = [None if users is None else sorted(user["login"] for user in users) for users in names]
    return {"list": found[0], "single": found[1], "rows": reviews(team, number)}


def ask(team: SceneTeam, number: int, *who: str) -> int:
    """How many rows asking these for a review made."""
    path = f"{team.repo}/pulls/{number}/requested_reviewers"
    return len(said(team.api["w0001"].post(path, json={"reviewers": list(who)})))


def merge(team: SceneTeam, number: int, **more: Any) -> list[Any]:
    answer = team.api["w0003"].post(f"{team.repo}/pulls/{number}/merge", json={"Do": "merge", **more})
    return [answer.status_code, answer.json().get("message", "") if answer.content else ""]


def opened(team: SceneTeam, name: str, topic: str, file: str, text: str = "x\n") -> int:
    team.commit(name, f"{name}/{topic}", {file: text}, f"Add {topic}")
    return team.pull(name, f"{name}/{topic}")


def test_whom_a_pull_names_and_what_its_reviews_show_step_by_step(team: SceneTeam) -> None:
    number = opened(team, "w0001", "a", "a.txt")
    steps, made = {"opened": told(team, number)}, {}
    made["asked"], steps["asked"] = ask(team, number, "w0002", "w0003"), told(team, number)
    team.review("w0002", number, "REQUEST_CHANGES", "no")
    steps["changes requested"] = told(team, number)
    team.review("w0003", number, "COMMENT", "hm")
    steps["commented"] = told(team, number)
    made["asked again"], steps["asked again"] = ask(team, number, "w0002"), told(team, number)
    made["asked twice"], steps["asked twice"] = ask(team, number, "w0002"), told(team, number)
    team.commit("w0001", "w0001/a", {"a.txt": "y\n"}, "Mend")
    until(lambda: told(team, number), SEEN["a review, step by step"]["pushed"])
    steps["pushed"] = told(team, number)
    team.review("w0002", number)
    steps["approved"] = told(team, number)
    approval = team.review("w0003", number)["id"]
    steps["second approved"] = told(team, number)
    dismissal = f"{team.repo}/pulls/{number}/reviews/{approval}/dismissals"
    said(team.api[ADMIN].post(dismissal, json={"message": "1e5 fails"}))
    steps["dismissed"] = told(team, number)
    assert steps == SEEN["a review, step by step"]
    assert made == SEEN["rows made by asking"]


def test_what_reviewing_is_refused(team: SceneTeam) -> None:
    number = opened(team, "w0001", "a", "a.txt")
    own = team.review("w0002", number)["id"]
    path = f"{team.repo}/pulls/{number}"
    verdict = {"event": "REQUEST_CHANGES", "body": "no"}
    answers = {
        "a reviewer dismisses its own": team.api["w0002"].post(
            f"{path}/reviews/{own}/dismissals", json={"message": "m"}
        ),
        "the author approves": team.api["w0001"].post(f"{path}/reviews", json={"event": "APPROVED", "body": "m"}),
        "the author requests changes": team.api["w0001"].post(f"{path}/reviews", json=verdict),
    }
    said(team.api["w0001"].patch(path, json={"state": "closed"}))
    answers["a review of a closed pull"] = team.api["w0003"].post(f"{path}/reviews", json=verdict)
    answers["asking for a review of a closed pull"] = team.api["w0001"].post(
        f"{path}/requested_reviewers", json={"reviewers": ["w0003"]}
    )
    assert {name: answer.status_code for name, answer in answers.items()} == SEEN["refused"]


def test_what_merging_is_refused_and_how_others_are_tested_anew(team: SceneTeam) -> None:
    first = opened(team, "w0001", "core", "core.txt", CORE.format(1))
    second, free = opened(team, "w0002", "core", "core.txt", CORE.format(2)), opened(team, "w0003", "b", "b.txt")
    # A push that is told after its pull was opened has it tested once more, whenever that is.
    until(lambda: [team.see(number)["mergeable"] for number in (first, second, free)], [True, True, True])
    until(lambda: merge(team, first, head_commit_id="0" * 40), SEEN["merging"]["another head"])
    answers = {
        "another head": SEEN["merging"]["another head"],
        "an unknown style": merge(team, first, Do="bogus")[:1],
    }
    states = {"when opened, soon": True}
    until(lambda: merge(team, first)[0], 200)
    assert merge(team, second)[0] in SEEN["merging at once after another merge, one of"]
    states["of others, at once after a merge"] = team.see(second)["mergeable"]
    until(lambda: team.see(free)["mergeable"], SEEN["mergeable"]["of one without a conflict, then"])
    states["of one without a conflict, then"] = True
    answers["one that conflicts"], answers["one that is merged"] = merge(team, second), merge(team, first)
    states["of one with a conflict, then"] = team.see(second)["mergeable"]
    path = f"{team.repo}/pulls/{free}"
    said(team.api["w0003"].patch(path, json={"state": "closed"}))
    answers["one that is closed"] = merge(team, free)[:1]
    states["of one that is closed"] = team.see(free)["mergeable"]
    said(team.api["w0003"].patch(path, json={"state": "open", "title": "WIP: b"}))
    answers["work in progress"], states["of work in progress"] = merge(team, free), team.see(free)["mergeable"]
    assert answers == SEEN["merging"]
    assert states == SEEN["mergeable"]


def test_a_review_keeps_its_commit_and_goes_stale_with_the_content(team: SceneTeam) -> None:
    number = opened(team, "w0001", "a", "a.txt")
    reviewed = team.review("w0002", number)["commit_id"]

    def look() -> list[str]:
        [row] = team.see(number, "/reviews")
        return [
            "same commit" if row["commit_id"] == reviewed else "other commit", "stale" if row["stale"] else "not stale"
        ]  # fmt: skip

    team.merge("w0003", opened(team, "w0003", "b", "b.txt"))
    team.git("w0001", "fetch", "--quiet", "origin")
    team.git("w0001", "rebase", "--quiet", "origin/main")
    team.git("w0001", "push", "--quiet", "--force", "origin", "w0001/a")
    until(lambda: team.see(number)["mergeable"], True)  # it has followed the push
    wanted = SEEN["a review and its commit"]
    assert look() == wanted["rebased, the same difference"]
    team.commit("w0001", "w0001/a", {"a.txt": "other\n"}, "Other content")
    until(look, wanted["another content"])
    team.git("w0001", "reset", "--quiet", "--hard", reviewed)
    team.git("w0001", "push", "--quiet", "--force", "origin", "w0001/a")
    until(look, wanted["back to the reviewed commit"])

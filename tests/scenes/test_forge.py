"""What happens to a team's pulls, scene by scene: each once, with the right worker, time and meaning.

The same scenes on the stand-in and, where AGENSH_GITEA names its program, on a real Gitea with its PostgreSQL.
"""

from __future__ import annotations

import time

import pytest

from tests.docker.standins.team import said
from tests.scenes.forge_scene import Scene, looks, ms, of, once, opened, sees, told
from tests.scenes.forges import ADMIN

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.faults]


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
    # The seed, which is nobody's, may be told as well: Gitea tells a push later than it takes it.
    pushes = [(each["fields"]["branch"], each["worker"]) for each in of(events, "commits.pushed") if each["worker"]]
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

"""The life of pulls on real git: merges that git makes, conflicts that git finds, reviews that go stale."""

from __future__ import annotations

import pytest

from tests.docker.standins.team import ForgeTeam, said, until


@pytest.fixture(scope="module")
def clash(forge: ForgeTeam) -> tuple[int, int]:
    """Two pulls that change the same line; the first is merged."""
    numbers = []
    for name in ("w0001", "w0002"):
        branch = f"{name}/clash"
        forge.commit(name, branch, {"core.txt": f"one\n{name}\nthree\n"}, f"Change two for {name}")
        numbers.append(forge.pull(name, branch))
    assert [forge.see(number)["mergeable"] for number in numbers] == [True, True]
    forge.merge("w0003", numbers[0])
    # Whether it was tested since or not: it is not known to merge.
    assert "try again later" in str(forge.merge("w0002", numbers[1], 405))
    return numbers[0], numbers[1]


def test_a_merge_is_a_merge_commit_of_git(forge: ForgeTeam, clash: tuple[int, int]) -> None:
    seen = forge.see(clash[0])
    assert (seen["state"], seen["merged"], seen["merged_by"]["login"]) == ("closed", True, "w0003")
    forge.git("w0003", "fetch", "--quiet", "origin")
    parents = forge.git("w0003", "log", "-1", "--format=%P %an <%ae>", seen["merge_commit_sha"]).stdout
    assert len(parents.split()) == 4
    assert parents.strip().endswith("w0003 <w0003@workers.invalid>")
    assert forge.git("w0003", "show", f"{seen['merge_commit_sha']}:core.txt").stdout == "one\nw0001\nthree\n"


def test_the_other_pull_conflicts_until_it_is_rebased(forge: ForgeTeam, clash: tuple[int, int]) -> None:
    second = clash[1]
    assert forge.see(second)["mergeable"] is False
    forge.git("w0002", "fetch", "--quiet", "origin")
    forge.git("w0002", "checkout", "--quiet", "w0002/clash")
    assert forge.git("w0002", "rebase", "origin/main", check=False).returncode != 0
    (forge.folder / "w0002" / "core.txt").write_text("one\nw0001 and w0002\nthree\n", "utf-8")
    forge.git("w0002", "add", "core.txt")
    forge.git("w0002", "rebase", "--continue")
    forge.git("w0002", "push", "--quiet", "--force", "origin", "w0002/clash")
    until(lambda: forge.see(second)["mergeable"], True)
    forge.merge("w0002", second)
    assert forge.see(second)["merged"] is True


def test_the_list_shows_what_merges_and_what_does_not(forge: ForgeTeam) -> None:
    for n in (1, 2):
        forge.commit("w0003", f"w0003/list{n}", {"list.txt": f"{n}\n"}, "Both add one file")
    one, two = forge.pull("w0003", "w0003/list1"), forge.pull("w0003", "w0003/list2")
    forge.merge("w0001", one)
    listed = {each["number"]: each for each in said(forge.api["w0001"].get(f"{forge.repo}/pulls"))}
    assert one not in listed
    assert listed[two]["mergeable"] is False
    said(forge.api["w0003"].patch(f"{forge.repo}/pulls/{two}", json={"state": "closed"}))
    assert forge.see(two)["state"] == "closed"


def test_nobody_approves_or_rejects_an_own_pull(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/own", {"own.txt": "x\n"}, "Own")
    number = forge.pull("w0001", "w0001/own")
    path = f"{forge.repo}/pulls/{number}/reviews"
    assert forge.api["w0001"].post(path, json={"event": "APPROVED"}).status_code == 422
    assert forge.api["w0001"].post(path, json={"event": "REQUEST_CHANGES", "body": "no"}).status_code == 422
    assert forge.api["w0001"].post(path, json={"event": "COMMENT", "body": "note to all"}).status_code == 200
    assert forge.api["w0002"].post(path, json={"event": "REQUEST_CHANGES", "body": " "}).status_code == 422
    assert forge.api["w0002"].post(path, json={"event": "LOVE_IT"}).status_code == 422


def test_one_head_has_one_open_pull(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/twice", {"twice.txt": "x\n"}, "Twice")
    forge.pull("w0001", "w0001/twice")
    asked = {"head": "w0001/twice", "base": "main", "title": "Again"}
    assert forge.api["w0001"].post(f"{forge.repo}/pulls", json=asked).status_code == 409
    assert forge.api["w0001"].post(f"{forge.repo}/pulls", json={**asked, "head": "nowhere"}).status_code == 404


def test_a_review_answers_the_request_for_it(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/ask", {"ask.txt": "x\n"}, "Ask")
    number = forge.pull("w0001", "w0001/ask")
    path = f"{forge.repo}/pulls/{number}/requested_reviewers"
    assert forge.api["w0001"].post(path, json={"reviewers": ["w0001"]}).status_code == 422
    assert forge.api["w0001"].post(path, json={"reviewers": ["nobody"]}).status_code == 404
    said(forge.api["w0001"].post(path, json={"reviewers": ["w0002"]}))
    assert [each["login"] for each in forge.see(number)["requested_reviewers"]] == ["w0002"]
    assert "REQUEST_REVIEW" in [each["state"] for each in forge.see(number, "/reviews")]
    forge.review("w0002", number)
    assert [each["state"] for each in forge.see(number, "/reviews")] == ["APPROVED"]


def test_a_review_goes_stale_with_new_content_and_not_with_a_rebase(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/stale", {"stale.txt": "x\n"}, "Stale")
    number = forge.pull("w0001", "w0001/stale")
    forge.review("w0002", number)
    forge.commit("w0002", "w0002/other", {"other.txt": "x\n"}, "Move main")
    forge.merge("w0003", forge.pull("w0002", "w0002/other"))
    forge.git("w0001", "checkout", "--quiet", "w0001/stale")
    forge.git("w0001", "fetch", "--quiet", "origin")
    forge.git("w0001", "rebase", "--quiet", "origin/main")
    forge.git("w0001", "push", "--quiet", "--force", "origin", "w0001/stale")
    assert [each["stale"] for each in forge.see(number, "/reviews")] == [False]
    forge.commit("w0001", "w0001/stale", {"stale.txt": "y\n"}, "Another thing")
    assert [each["stale"] for each in forge.see(number, "/reviews")] == [True]
    assert "pull_push" in [
        each["type"] for each in said(forge.api["w0001"].get(f"{forge.repo}/issues/{number}/timeline"))
    ]


def test_a_dismissal_needs_an_admin_and_a_deletion_the_reviewer(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/dismiss", {"dismiss.txt": "x\n"}, "Dismiss")
    number = forge.pull("w0001", "w0001/dismiss")
    review = forge.review("w0002", number)["id"]
    path = f"{forge.repo}/pulls/{number}/reviews/{review}"
    said(forge.api["agensh"].put(f"{forge.repo}/collaborators/w0003", json={"permission": "write"}))
    assert forge.api["w0003"].post(f"{path}/dismissals", json={"message": "no"}).status_code == 403
    assert forge.api["w0003"].delete(path).status_code == 403
    said(forge.api["agensh"].put(f"{forge.repo}/collaborators/w0003", json={"permission": "admin"}))
    said(forge.api["w0003"].post(f"{path}/dismissals", json={"message": "1e5 fails"}))
    [kept] = forge.see(number, "/reviews")
    assert (kept["state"], kept["dismissed"]) == ("APPROVED", True)
    timeline = said(forge.api["w0001"].get(f"{forge.repo}/issues/{number}/timeline"))
    [line] = [each for each in timeline if each["type"] == "dismiss_review"]
    assert (line["body"], line["review_id"], line["user"]["login"]) == ("1e5 fails", review, "w0003")
    said(forge.api["w0002"].delete(path))
    assert forge.see(number, "/reviews") == []


def test_a_moved_head_is_not_merged_unseen(forge: ForgeTeam) -> None:
    old = forge.commit("w0001", "w0001/moved", {"moved.txt": "x\n"}, "First")
    number = forge.pull("w0001", "w0001/moved")
    forge.commit("w0001", "w0001/moved", {"moved.txt": "y\n"}, "Second")
    forge.merge("w0002", number, 409, head_commit_id=old)
    forge.merge("w0002", number, head_commit_id=forge.see(number)["head"]["sha"])


def test_work_in_progress_is_not_merged(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/wip", {"wip.txt": "x\n"}, "Half")
    number = forge.pull("w0001", "w0001/wip", "WIP: half")
    assert forge.see(number)["mergeable"] is False
    forge.merge("w0001", number, 405)
    said(forge.api["w0001"].patch(f"{forge.repo}/pulls/{number}", json={"title": "Whole"}))
    forge.merge("w0001", number)


def test_a_squash_has_one_parent(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/squash", {"squash.txt": "x\n"}, "One")
    forge.commit("w0001", "w0001/squash", {"squash.txt": "y\n"}, "Two")
    number = forge.pull("w0001", "w0001/squash")
    forge.merge("w0001", number, Do="squash", delete_branch_after_merge=True)
    assert forge.api["w0001"].get(f"{forge.repo}/branches/w0001/squash").status_code == 404
    forge.merge("w0001", number, 405)


def test_a_deleted_branch_closes_its_pull(forge: ForgeTeam) -> None:
    forge.commit("w0001", "w0001/gone", {"gone.txt": "x\n"}, "Gone")
    number = forge.pull("w0001", "w0001/gone")
    forge.git("w0001", "push", "--quiet", "origin", "--delete", "w0001/gone")
    assert (forge.see(number)["state"], forge.see(number)["merged"]) == ("closed", False)


def test_a_protected_branch_takes_no_push_and_asks_for_approvals(forge: ForgeTeam) -> None:
    rule = {"rule_name": "rel*", "enable_push": False, "required_approvals": 1, "block_on_rejected_reviews": True}
    forge.commit("w0001", "release", {"release.txt": "x\n"}, "Release")
    forge.commit("w0001", "w0001/rule", {"rule.txt": "x\n"}, "Rule")
    number = forge.pull("w0001", "w0001/rule", base="release")
    made = said(forge.api["agensh"].post(f"{forge.repo}/branch_protections", json=rule))
    assert (made["rule_name"], made["enable_push"], made["required_approvals"]) == ("rel*", False, 1)
    forge.commit("w0001", "release", {"direct.txt": "x\n"}, "Straight to it", push=False)
    refused = forge.git("w0001", "push", "origin", "release", check=False)
    assert refused.returncode != 0
    assert "protected branch release" in refused.stderr
    assert "enough approvals" in str(forge.merge("w0002", number, 405))
    forge.review("w0002", number, "REQUEST_CHANGES", "no")
    forge.review("w0003", number)
    assert "requested changes" in str(forge.merge("w0002", number, 405))
    forge.review("w0002", number)
    forge.merge("w0002", number)
    assert said(forge.api["w0001"].get(f"{forge.repo}/branches/release"))["protected"] is True


def test_git_asks_for_a_name_and_a_token(forge: ForgeTeam) -> None:
    plain = forge.service.url + "/team/calc.git"
    assert forge.git("w0001", "ls-remote", plain, check=False).returncode != 0
    assert forge.git("w0001", "ls-remote", plain.replace("://", "://w0001:wrong@"), check=False).returncode != 0
    assert "refs/heads/main" in forge.git("w0001", "ls-remote", forge.remote("w0001")).stdout

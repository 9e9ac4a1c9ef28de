"""Reviews: given, withdrawn, dismissed, stale; told by hooks and by sweeps."""

from __future__ import annotations

from tests.trajectories.reducers.team import START, Team
from trajectories.events import iso


def reviewed(verdict: str = "approved", text: str = "good") -> Team:
    """Ada (1) opened pull 7; Ben (2) reviewed it."""
    team = Team()
    team.at(10).opens(1, 7)
    team.at(20).reviews(2, 7, verdict, text)
    return team


def test_a_review_has_a_row_and_counts_for_its_reviewer() -> None:
    row = reviewed().row("reviews", "7.2.1")
    assert (row["pull"], row["reviewer"], row["author"], row["verdict"], row["status"]) == (
        7,
        2,
        1,
        "approved",
        "standing",
    )
    assert reviewed().row("workers", 2)["reviews_given"] == 1


def test_requesting_changes_withdraws_the_reviewers_approval_with_its_words() -> None:
    team = reviewed()
    team.at(30).reviews(2, 7, "changes_requested", "1e5 is read as 1")
    old, new = team.row("reviews", "7.2.1"), team.row("reviews", "7.2.2")
    assert (old["status"], old["withdrawn_at"], old["counterexample"]) == (
        "withdrawn",
        iso(team.now),
        "1e5 is read as 1",
    )
    assert new["status"] == "standing"
    team.at(40).merges(3, 7)
    assert team.row("behaviours", "approval_withdrawn")["count"] == 1


def test_another_reviewers_word_withdraws_nothing() -> None:
    team = reviewed()
    team.reviews(3, 7, "changes_requested", "no")
    assert team.row("reviews", "7.2.1")["status"] == "standing"


def test_an_approval_takes_back_the_reviewers_own_request_for_changes() -> None:
    team = reviewed("changes_requested", "no")
    team.reviews(2, 7, "approved")
    assert team.row("reviews", "7.2.1")["status"] == "withdrawn"
    assert team.row("reviews", "7.2.1")["counterexample"] is None
    assert "approval_withdrawn" not in team.table("behaviours")


def test_a_comment_changes_nothing() -> None:
    team = reviewed()
    team.reviews(2, 7, "commented", "hm")
    assert team.row("reviews", "7.2.1")["status"] == "standing"


def test_after_the_merge_nothing_is_withdrawn() -> None:
    team = reviewed()
    team.merges(3, 7)
    team.reviews(2, 7, "changes_requested", "too late")
    assert team.row("reviews", "7.2.1")["status"] == "standing"


def test_a_review_of_ones_own_pull_counts_nowhere() -> None:
    team = Team()
    team.opens(1, 7)
    team.reviews(1, 7, "commented", "done")
    assert team.row("reviews", "7.1.1")["author"] == 1
    assert team.row("workers", 1)["reviews_given"] == 0


def test_a_sweep_binds_the_forges_ids_to_what_the_hooks_told() -> None:
    team = reviewed()
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good\r\n")])
    assert list(team.table("reviews")) == ["7.2.1"]
    assert team.row("reviews", "7.2.1")["evidence_count"] == 1


def test_a_review_whose_hook_was_lost_comes_from_the_sweep_and_a_late_hook_is_the_same_one() -> None:
    team = Team()
    team.at(10).opens(1, 7)
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good", said_at=iso(START + 25_000))])
    assert team.row("reviews", "7.2.1")["at"] == iso(START + 25_000)
    team.at(31).reviews(2, 7, "approved", " good ")
    assert list(team.table("reviews")) == ["7.2.1"]
    assert team.row("reviews", "7.2.1")["at"] == iso(START + 25_000)
    team.at(32).reviews(2, 7, "approved", "good")
    assert list(team.table("reviews")) == ["7.2.1", "7.2.2"]


def test_a_dismissal_by_another_dismisses_and_by_oneself_withdraws() -> None:
    team = reviewed()
    team.at(25).reviews(3, 7, "approved", "fine")
    ben = team.told(91, 2, "approved", "good", dismissed=True, dismissed_by="gitea:w0002")
    team.at(30).sweep(
        7, reviews=[ben, team.told(92, 3, "approved", "fine", dismissed=True, dismissed_by="gitea:alice")]
    )
    assert team.row("reviews", "7.2.1")["status"] == "withdrawn"
    assert team.row("reviews", "7.3.1")["status"] == "dismissed"


def test_who_dismissed_may_be_learnt_later_and_is_not_forgotten() -> None:
    team = reviewed()
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good", dismissed=True)])
    assert team.row("reviews", "7.2.1")["status"] == "dismissed"
    team.at(40).sweep(7, reviews=[team.told(91, 2, "approved", "good", dismissed=True, dismissed_by="gitea:w0002")])
    team.at(50).sweep(7, reviews=[team.told(91, 2, "approved", "good", dismissed=True)])
    assert team.row("reviews", "7.2.1")["status"] == "withdrawn"


def test_a_dismissal_before_the_merge_counts_though_the_sweep_came_after_it() -> None:
    for dismissed, status in ((30, "withdrawn"), (60, "dismissed")):
        team = reviewed()
        team.at(50).merges(3, 7)
        facts = {"dismissed": True, "dismissed_by": "gitea:w0002", "dismissed_at": START + dismissed * 1000}
        told = team.told(91, 2, "approved", "good", **facts)
        team.at(70).sweep(7, "closed", reviews=[told], merged_at=START + 50_000, merged_by="gitea:w0003")
        assert team.row("reviews", "7.2.1")["status"] == status


def test_a_review_gone_from_the_forge_was_deleted_and_is_withdrawn() -> None:
    team = reviewed()
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good")])
    team.at(40).sweep(7, reviews=[])
    assert team.row("reviews", "7.2.1")["status"] == "withdrawn"


def test_a_stale_review_may_stand_again_and_a_dismissal_beats_it() -> None:
    team = reviewed()
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good", stale=True)])
    assert team.row("reviews", "7.2.1")["status"] == "stale"
    team.at(40).sweep(7, reviews=[team.told(91, 2, "approved", "good")])
    assert team.row("reviews", "7.2.1")["status"] == "standing"
    team.at(50).sweep(7, reviews=[team.told(91, 2, "approved", "good", stale=True, dismissed=True)])
    assert team.row("reviews", "7.2.1")["status"] == "dismissed"


def test_a_withdrawal_without_words_is_explained_by_what_the_reviewer_wrote_about_the_pull() -> None:
    team = reviewed()
    team.at(25).fails(2, "PR 7: empty input crashes")
    team.at(30).sweep(7, reviews=[team.told(91, 2, "approved", "good", dismissed=True, dismissed_by="gitea:w0002")])
    assert team.row("reviews", "7.2.1")["counterexample"] == "PR 7: empty input crashes"
    team.at(40).says(2, "#7 also loses the last line")
    assert team.row("reviews", "7.2.1")["counterexample"] == "#7 also loses the last line"
    team.at(700).says(2, "#7 is old news")
    assert team.row("reviews", "7.2.1")["counterexample"] == "#7 also loses the last line"


def test_an_old_review_told_late_by_a_sweep_does_not_withdraw_a_newer_one() -> None:
    team = Team()
    team.at(10).opens(1, 7)
    team.at(40).reviews(2, 7, "approved", "good")
    lost = team.told(90, 2, "changes_requested", "no", said_at=START + 20_000)
    team.at(50).sweep(7, reviews=[lost, team.told(91, 2, "approved", "good")])
    assert team.row("reviews", "7.2.1")["status"] == "standing"
    assert team.row("reviews", "7.2.2")["status"] == "withdrawn"


def test_an_outsider_stands_in_keys_by_its_login() -> None:
    team = Team()
    team.opens(1, 7)
    team.reviews("alice", 7, "approved")
    assert team.row("reviews", "7.gitea:alice.1")["reviewer"] == "gitea:alice"

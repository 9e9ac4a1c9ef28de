"""Which claims a pull belongs to."""

from __future__ import annotations

import pytest

from tests.trajectories.reducers.team import Team


def link(team: Team, claim: int) -> tuple[object, object]:
    row = team.row("claims", claim)
    return row["pull"], row["linked_by"]


def test_a_trailer_names_its_claims_and_passes_unknown_ids_over() -> None:
    team = Team()
    one, other = team.claims(1, "lexer", "a"), team.claims(1, "parser", "b")
    team.opens(1, 7, body=f"Work.\n\nclaim: n99, n{other} #{one}")
    assert link(team, one) == link(team, other) == (7, "trailer")
    assert team.row("pulls", 7)["claim"] == other


@pytest.mark.parametrize("head", ["w0001/n1-lexer", "n1", "fix/n1"])
def test_a_branch_names_its_claim(head: str) -> None:
    team = Team()
    claim = team.claims(1, "lexer")
    team.claims(1, "parser")
    team.opens(1, 7, head=head)
    assert link(team, claim) == (7, "branch")


def test_a_delegation_id_stands_as_a_word_in_title_body_or_branch() -> None:
    team = Team()
    short, long = team.claims(1, "x", "lexer"), team.claims(1, "y", "lexer-numbers")
    team.opens(1, 7, title="Lexer-numbers: read 1e5")
    assert link(team, long) == (7, "delegation")
    assert link(team, short) == (None, None)


def test_an_equal_subject_links() -> None:
    team = Team()
    claim = team.claims(1, "claiming the lexer")
    team.claims(1, "parser")
    team.opens(1, 7, title="The Lexer")
    assert link(team, claim) == (7, "subject")


def test_the_only_live_claim_of_the_author_is_meant() -> None:
    team = Team()
    claim = team.claims(1, "lexer")
    team.claims(2, "parser")
    team.opens(1, 7, title="Something")
    assert link(team, claim) == (7, "only")


def test_with_two_live_claims_and_no_name_nothing_is_linked() -> None:
    team = Team()
    team.claims(1, "lexer")
    team.claims(1, "parser")
    team.opens(1, 7, title="Something")
    assert team.row("pulls", 7)["claim"] is None


def test_an_edit_replaces_a_link_only_by_a_stronger_method() -> None:
    team = Team()
    one = team.claims(1, "lexer", "lexer")
    team.opens(1, 7, title="lexer work")
    other = team.claims(1, "parser", "parser")
    team.edits(1, 7, "parser work")
    assert link(team, one) == (7, "delegation")
    team.edits(1, 7, "work", f"Claim: n{other}")
    assert link(team, other) == (7, "trailer")
    assert link(team, one)[0] is None
    assert team.row("pulls", 7)["claim"] == other


def test_the_first_of_several_pulls_to_merge_lands_the_claim_and_the_other_is_superseded() -> None:
    team = Team()
    claim = team.claims(1, "lexer")
    team.opens(1, 7, body=f"Claim: n{claim}")
    team.opens(1, 8, body=f"Claim: n{claim}")
    team.merges(2, 8)
    assert link(team, claim) == (8, "trailer")
    assert team.row("pulls", 7)["superseded_by"] == 8


def test_a_renewed_claim_keeps_its_pull() -> None:
    team = Team()
    old = team.claims(1, "lexer", "lexer")
    team.opens(1, 7, body=f"Claim: n{old}")
    new = team.claims(1, "lexer", "lexer")
    assert link(team, new) == (7, "trailer")
    team.merges(1, 7)
    assert team.row("claims", old)["status"] == team.row("claims", new)["status"] == "landed"


def test_a_peers_merge_under_a_live_claim_supersedes_it() -> None:
    team = Team()
    claim = team.claims(1, "lexer")
    team.opens(2, 7, body=f"Claim: n{claim}")
    team.merges(2, 7)
    assert team.row("claims", claim)["status"] == "superseded"


def test_an_outsiders_merge_of_the_workers_pull_lands_its_claim() -> None:
    team = Team()
    claim = team.claims(1, "lexer")
    team.opens(1, 7, body=f"Claim: n{claim}")
    team.merges("alice", 7)
    assert team.row("claims", claim)["status"] == "landed"
    assert team.row("pulls", 7)["merged_by"] == "gitea:alice"

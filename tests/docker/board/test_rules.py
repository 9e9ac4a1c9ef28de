from __future__ import annotations

from typing import Any

from board.rules import Board

HOUR = 3_600_000


class Team:
    """A board and the notes written to it, a second apart."""

    def __init__(self) -> None:
        self.board, self.at = Board(), 0

    def post(self, worker: str, type: str, text: str, delegation_id: str | None = None) -> int:
        self.at += 1_000
        note = self.board.last + 1
        entry: dict[str, Any] = {"op": "note", "note": note, "worker": worker, "type": type, "text": text}
        self.board.apply(entry | {"detail": None, "delegation_id": delegation_id}, self.at)
        return note

    def live(self, after_ms: int = 0) -> list[int]:
        return [note.note for note in self.board.recent(self.at + after_ms)]


def patch(n: int) -> str:
    return f"files= a.py | idea= try {n} | evidence= {n} passed"


def test_a_claim_is_hidden_after_an_hour_and_stays_in_the_log() -> None:
    team = Team()
    claim, fact = team.post("w0001", "CLAIM", "lexer"), team.post("w0001", "FACT", "tabs are kept")
    assert team.live() == [claim, fact]
    assert team.board.recent(1_000 + HOUR - 1)[0].note == claim
    assert [note.note for note in team.board.recent(1_000 + HOUR)] == [fact]
    assert claim in team.board.notes


def test_a_newer_patch_summary_of_the_same_author_and_sub_task_replaces_the_older() -> None:
    team = Team()
    first = team.post("w0001", "PATCH_SUMMARY", patch(1), "Lexer")
    other = team.post("w0002", "PATCH_SUMMARY", patch(2), "lexer")
    second = team.post("w0001", "PATCH_SUMMARY", patch(3), " lexer ")
    assert team.live() == [other, second]
    assert team.board.notes[first].replaced_by == second


def test_a_fail_invalidates_the_latest_candidate_once() -> None:
    team = Team()
    candidate = team.post("w0001", "PATCH_SUMMARY", patch(1), "lexer")
    fail = team.post("w0001", "FAIL", "strings break", "lexer")
    team.post("w0001", "FAIL", "strings still break", "lexer")
    assert team.board.notes[candidate].invalidated_by == fail
    assert candidate not in team.live()


def test_a_fail_of_another_author_or_without_a_sub_task_invalidates_nothing() -> None:
    team = Team()
    candidate = team.post("w0001", "PATCH_SUMMARY", patch(1), "lexer")
    loose = team.post("w0001", "PATCH_SUMMARY", patch(2))
    team.post("w0002", "FAIL", "strings break", "lexer")
    team.post("w0001", "FAIL", "strings break")
    assert {candidate, loose} <= set(team.live())


def test_the_recent_view_has_two_thousand_entries_at_most_the_newest_ones() -> None:
    team = Team()
    for n in range(2_050):
        team.post("w0001", "FACT", f"fact {n}")
    live = team.live()
    assert len(live) == 2_000 and live[0] == 51 and live[-1] == 2_050


def test_a_reader_is_told_what_is_new_to_it() -> None:
    team = Team()
    team.post("w0001", "FACT", "one")
    team.post("w0001", "FACT", "two")
    reading = team.board.reading("w0002", 2)
    assert reading == {"upto": 2, "added": 2}
    team.board.apply({"op": "read", "worker": "w0002", **reading}, team.at)
    assert team.board.reading("w0002", 2) == {"upto": 2, "added": 0}
    assert team.board.reading("w0002", 1) == {"upto": 2, "added": 0}


def test_the_same_words_of_the_same_author_are_refused_while_they_are_live() -> None:
    team = Team()
    team.post("w0001", "CLAIM", "Lexer  strings", "lexer")
    again = {"type": "CLAIM", "text": "lexer strings", "delegation_id": "LEXER"}
    assert team.board.refusal("w0001", again, team.at) == "same as note 1 by w0001, which is still live"
    assert team.board.refusal("w0001", again, team.at + HOUR) is None


def test_two_workers_may_claim_the_same_thing_but_a_fact_is_said_once() -> None:
    team = Team()
    team.post("w0001", "CLAIM", "lexer")
    team.post("w0001", "FACT", "tabs are kept")
    assert team.board.refusal("w0002", {"type": "CLAIM", "text": "lexer"}, team.at) is None
    assert team.board.refusal("w0002", {"type": "FACT", "text": "Tabs are kept"}, team.at) is not None


def test_a_candidate_may_be_said_again_after_it_was_invalidated() -> None:
    team = Team()
    team.post("w0001", "PATCH_SUMMARY", patch(1), "lexer")
    team.post("w0001", "FAIL", "strings break", "lexer")
    again = {"type": "PATCH_SUMMARY", "text": patch(1), "delegation_id": "lexer"}
    assert team.board.refusal("w0001", again, team.at) is None

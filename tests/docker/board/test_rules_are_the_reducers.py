"""The board's rules and the notes reducer are two folds of one log: whatever was written, they say the same of every note."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from board.rules import Board
from trajectories.events import Event, iso, millis
from trajectories.reducers import Fold
from trajectories.sources.base import RawDelivery
from trajectories.sources.board import parse

START = millis("2026-11-29T09:00:00.000Z")
CLAIM_TTL_S = 60
PATCH = "files= a.py | idea= try | evidence= 3 passed"

notes = st.tuples(
    st.integers(0, 40_000),
    st.sampled_from(["w0001", "w0002"]),
    st.sampled_from(["OBSERVED", "FACT", "FAIL", "CLAIM", "PATCH_SUMMARY"]),
    st.sampled_from([None, "", " ", "lexer", "LEXER ", "straße", "STRASSE", "parser"]),
)


def run_event(seq: int, kind: str, worker: int | None = None, **fields: Any) -> Event:
    return Event(START - 10, "run", seq, str(seq), 0, kind, worker, None, None, fields)


@settings(max_examples=150, deadline=None)
@given(st.lists(notes, max_size=25), st.integers(0, 200_000))
def test_both_folds_say_the_same_of_every_note(written: list[tuple[int, str, str, str | None]], later: int) -> None:
    board, fold = Board(claim_ttl_ms=CLAIM_TTL_S * 1000), Fold()
    fold.take(run_event(1, "run.started", claim_ttl_s=CLAIM_TTL_S, workers=2))
    for n, name in ((1, "w0001"), (2, "w0002")):
        fold.take(run_event(1 + n, "worker.enrolled", n, name=name, node="local", harness="mini", model="scripted"))
    at = START
    for n, (pause, worker, kind, delegation_id) in enumerate(written, 1):
        at += pause
        entry = {"seq": n, "at": iso(at), "op": "note", "worker": worker, "note": n, "type": kind}
        entry |= {
            "text": PATCH if kind == "PATCH_SUMMARY" else f"{kind} {n}",
            "detail": None,
            "delegation_id": delegation_id,
        }
        board.apply(entry, at)
        for event in parse(RawDelivery(str(n), n, at, at, entry)):  # type: ignore[union-attr]
            fold.take(event)
    at += later
    fold.advance(at)
    rows = fold.tables["notes"]
    assert len(rows) == len(written)
    for n, note in board.notes.items():
        row = rows[n]
        assert (row["replaced_by"], row["invalidated_by"]) == (note.replaced_by, note.invalidated_by)
        hidden_at = note.hidden_at(board.claim_ttl_ms)
        assert row["hidden_at"] == (iso(hidden_at) if hidden_at is not None and hidden_at <= at else None)
    live = [n for n, row in rows.items() if not (row["hidden_at"] or row["replaced_by"] or row["invalidated_by"])]
    assert [note.note for note in board.recent(at)] == live

"""Every item is stored, leased, shown and acknowledged; each step is told once, as ranges, whatever dies in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worker.inbox import ALL_FEEDS, Inbox, Item
from worker.moves import Move, last_told
from worker.records import Superseded
from worker.spool import Spool
from worker.tap import Tap

AT = "2026-11-29T09:00:00.000Z"


def note(n: int) -> Item:
    return Item("board", str(n), "w0002", f"text {n}", AT)


def message(id: str, second: int, feed: str = "direct") -> Item:
    return Item(feed, id, "w0002", f"text {id}", f"2026-11-29T09:00:{second:02d}.000Z")


class Told(list[Move]):
    """What an inbox told, in order."""

    def steps(self) -> list[tuple[Any, ...]]:
        return [(move.state, move.first, move.last, move.count, move.via) for move in self]


def inbox(folder: Path, told: Told, life: int = 1, turn: int = 0) -> Inbox:
    return Inbox(folder / "inbox.db", told.append, life, lambda: turn)


def test_an_item_is_stored_once_and_goes_its_four_steps(tmp_path: Path) -> None:
    told = Told()
    box = inbox(tmp_path, told, turn=3)
    assert len(box.store([note(1), note(2), note(1)], {"board": 2})) == 2
    assert box.store([note(2)]) == []
    assert box.lease(["direct"], "tool") == []
    box.show(box.lease(["board"], "tool", most=1), "tool")
    box.acknowledge()
    box.seen(["board"], lambda item: True, "read")
    assert told.steps() == [
        ("stored", 1, 2, 2, "feed"),
        ("leased", 1, 1, 1, "tool"),
        ("shown", 1, 1, 1, "tool"),
        ("acknowledged", 1, 1, 1, "turn"),
        ("leased", 2, 2, 1, "read"),
        ("shown", 2, 2, 1, "read"),
    ]
    assert [move.move for move in told] == [1, 2, 3, 4, 5, 6] and {move.turn for move in told} == {3}


def test_what_a_failed_turn_showed_is_shown_again_and_said_to_be(tmp_path: Path) -> None:
    box = inbox(tmp_path, Told())
    box.store([note(1), note(2)])
    box.show(box.lease(["board"], "tool", most=1), "tool")
    box.lease(["board"], "turn")
    box.give_back("failed")
    first, second = box.lease(ALL_FEEDS, "turn")
    assert (first.again, second.again) == (True, False)  # the second was leased and never shown
    assert first.shown()["again"] is True and "again" not in second.shown()


@pytest.mark.parametrize("shown", [False, True])
def test_a_life_killed_between_lease_and_acknowledge_loses_nothing(tmp_path: Path, shown: bool) -> None:
    told = Told()
    box = inbox(tmp_path, told)
    box.store([note(1), note(2)], {"board": 2})
    leased = box.lease(["board"], "turn")
    if shown:
        box.show(leased, "turn")
    box.close()  # and nothing else: the process is gone
    box = inbox(tmp_path, told, life=2)
    box.recover(told[-1].move)
    assert box.recall("board", 0) == 2 and box.recall("chat", None) is None
    again = box.lease(ALL_FEEDS, "turn")
    assert [item.item for item in again] == ["1", "2"] and all(item.again is shown for item in again)
    assert told.steps()[-2:] == [("stored", 1, 2, 2, "recap"), ("leased", 1, 2, 2, "turn")]


def test_a_range_holds_all_of_its_feed_between_its_ends_and_nothing_else(tmp_path: Path) -> None:
    told = Told()
    box = inbox(tmp_path, told)
    box.store([note(n) for n in (3, 5, 6, 9, 12)])
    box.seen(["board"], lambda item: item.item == "6", "read")
    box.acknowledge()
    told.clear()
    box.lease(["board"], "turn")
    assert told.steps() == [("leased", 3, 5, 2, "turn"), ("leased", 9, 12, 2, "turn")]


def test_messages_have_the_order_of_their_times_and_a_late_one_is_a_range_of_its_own(tmp_path: Path) -> None:
    told = Told()
    box = inbox(tmp_path, told)
    box.store([message("zz", 1), message("aa", 5)])
    box.store([message("mm", 3)])  # committed late at its source
    box.store([message("cc", 2, "channel")])
    box.lease(ALL_FEEDS, "turn")
    assert told.steps() == [
        ("stored", "zz", "aa", 2, "feed"),
        ("stored", "mm", "mm", 1, "feed"),
        ("stored", "cc", "cc", 1, "feed"),
        ("leased", "cc", "cc", 1, "turn"),
        ("leased", "zz", "aa", 3, "turn"),
    ]


def test_notices_of_the_repository_are_told_one_by_one(tmp_path: Path) -> None:
    told = Told()
    inbox(tmp_path, told).store([message("pull-7-merged", 1, "repo"), message("pull-8-merged", 2, "repo")])
    assert [move.count for move in told] == [1, 1]


def test_a_move_that_a_dead_life_wrote_and_did_not_tell_is_told_once_by_the_next(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 1)
    tap = Tap(spool)
    box = Inbox(tmp_path / "inbox.db", tap.moved)
    box.store([note(1)])
    spool.flush()
    on_disk = (tmp_path / "1.jsonl").read_bytes()
    box.lease(ALL_FEEDS, "turn")  # told into a buffer that dies with the process
    box.close()
    spool.close()
    (tmp_path / "1.jsonl").write_bytes(on_disk)

    for life in (2, 3):
        told = last_told(tmp_path)
        spool = Spool(tmp_path, life)
        box = Inbox(tmp_path / "inbox.db", Tap(spool).moved, life)
        box.recover(told)
        box.close()
        spool.close()
    lines = [json.loads(line) for life in (1, 2, 3) for line in (tmp_path / f"{life}.jsonl").read_text().splitlines()]
    assert [(line["msg"]["move"], line["msg"]["state"]) for line in lines] == [
        (1, "stored"),
        (2, "leased"),
        (3, "stored"),
    ]
    assert lines[1]["msg"]["turn"] == 0 and lines[1]["at"] <= lines[2]["at"]


def test_an_older_life_that_comes_back_can_move_nothing(tmp_path: Path) -> None:
    old_told, new_told = Told(), Told()
    old = inbox(tmp_path, old_told, life=1)
    old.store([note(1), note(2)])
    leased = old.lease(["board"], "turn")
    new = inbox(tmp_path, new_told, life=2)
    new.recover(2)
    new.show(new.lease(ALL_FEEDS, "turn"), "turn")
    for act in (
        old.check,
        old.acknowledge,
        lambda: old.show(leased, "turn"),
        lambda: old.give_back("failed"),
        lambda: old.store([note(3)]),
        lambda: old.remember("board", 9),
        lambda: inbox(tmp_path, old_told, life=1),
    ):
        with pytest.raises(Superseded, match="life 2 has taken over from life 1"):
            act()
    new.acknowledge()
    assert old_told.steps()[-1] == ("leased", 1, 2, 2, "turn")
    assert new_told.steps()[-1] == ("acknowledged", 1, 2, 2, "turn")
    assert new.recall("board", 0) == 0

"""Timers fire in the order in which they are due, however far apart and however often they were moved."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from trajectories.reducers.state import State

SETTINGS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 400_000)), max_size=60)


def fired(state: State, at: int) -> list[tuple[int, int]]:
    """(due, key) of what is due by `at`."""
    found = []
    while (due := state.due(at)) is not None:
        found.append((due[0], int(due[3])))
    return found


@settings(max_examples=200, deadline=None)
@given(told=SETTINGS, steps=st.lists(st.integers(1, 90_000), max_size=12), cancelled=st.sets(st.integers(0, 9)))
def test_what_fires_is_what_was_set_last_and_not_cancelled(
    told: list[tuple[int, int]], steps: list[int], cancelled: set[int]
) -> None:
    state = State()
    for key, due in told:
        state.timer("notes", key, due)
    for key in cancelled:
        state.cancel("notes", key)
    wanted = sorted((due, key) for key, due in dict(told).items() if key not in cancelled)
    seen: list[tuple[int, int]] = []
    at = 0
    for step in [*steps, 500_000]:
        at += step
        seen += fired(state, at)
        assert seen == [each for each in wanted if each[0] <= at]


def test_a_timer_set_for_the_present_minute_fires_among_those_that_waited() -> None:
    state = State()
    state.timer("notes", 1, 61_000)
    state.timer("notes", 2, 119_000)
    assert fired(state, 60_500) == []
    state.timer("notes", 3, 62_000)
    state.timer("notes", 2, 61_500)
    assert fired(state, 200_000) == [(61_000, 1), (61_500, 2), (62_000, 3)]


def test_after_an_undo_the_timers_of_before_wait_again() -> None:
    state = State()
    state.timer("notes", 1, 61_000)
    mark = state.mark()
    assert fired(state, 70_000) == [(61_000, 1)]
    state.timer("notes", 2, 300_000)
    state.rewind(mark)
    assert fired(state, 400_000) == [(61_000, 1)]

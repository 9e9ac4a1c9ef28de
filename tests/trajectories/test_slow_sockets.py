"""Sockets that never read beside some that do, on a real server under load: nobody waits for them, and nobody loses a change unreported."""

from __future__ import annotations

import pytest

from trajectories.bench.asleep import asleep, silent_gaps


def test_fifty_that_never_read_cost_fifty_that_do_nothing() -> None:
    found = asleep(each=50, rate=1_000, seconds=14.0)
    if not found["beside_sleepers"][
        "sleepers_marked"
    ]:  # a busy machine takes longer to fill what lies between it and a sleeper
        found = asleep(each=50, rate=1_000, seconds=40.0)
    for name in ("alone", "beside_sleepers"):
        told = found[name]
        assert (told["lost"], told["doubled"], told["silent"]) == (0, 0, 0), name
        assert told["events_per_s"] > 100, "there was something to tell"
    beside = found["beside_sleepers"]
    assert beside["sleepers_marked"] > 0, "who did not read was told where the log is"
    assert beside["latency_ms"]["p50"] < max(2_000, 3 * found["alone"]["latency_ms"]["p50"]), (
        "those who read are told in time"
    )
    assert found["rss_mb"]["beside_sleepers"] - found["rss_mb"]["alone"] < 80, (
        "at most what fifty full buffers take, and the State"
    )


@pytest.mark.parametrize(
    ("told", "gaps"),
    [
        ([{"to": 3}, {"from": 4, "to": 6, "changes": [1]}], []),
        ([{"to": 3}, {"from": 5, "to": 6, "changes": [1]}], [(3, 5)]),
        ([{"to": 3}, {"to": 9}, {"from": 10, "to": 11, "changes": [1]}], []),
    ],
)
def test_a_gap_that_nobody_marked_is_seen(told: list[dict[str, object]], gaps: list[tuple[int, int]]) -> None:
    assert silent_gaps(told) == gaps

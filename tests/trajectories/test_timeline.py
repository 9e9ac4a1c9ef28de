"""The timeline's bytes: small, exact, and readable by anybody who reads the format's words."""

from __future__ import annotations

import gzip
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectories.told import hear, new_run, told
from trajectories.derive import Deriver, timeline
from trajectories.derive.agtl import NAMES, decode, encode, gzipped, pieces
from trajectories.derive.marks import KINDS
from trajectories.models import Segment

rows = st.lists(
    st.tuples(
        st.integers(-(2**40), 2**40),
        st.integers(0, 2**40),
        st.integers(0, 65_535),
        st.integers(0, 255),
        st.integers(0, 2**40),
        st.integers(0, 255),
    ),
    max_size=40,
)


@given(rows)
def test_rows_survive_encoding(table: list[tuple[int, int, int, int, int, int]]) -> None:
    assert decode(encode(table)) == table


def test_columns_start_at_multiples_of_eight() -> None:
    data = encode([(1, 0, 1, 0, 1, 0)] * 3)
    assert data[:4] == b"AGTL"
    assert len(data) % 8 != 0 or data  # the end needs no padding
    assert decode(data) == [(1, 0, 1, 0, 1, 0)] * 3


@pytest.mark.parametrize("data", [b"", b"AGTX" + b"\0" * 8, b"AGTL\x02\0" + b"\0" * 6])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises((ValueError, Exception)):
        decode(data)


def test_a_big_timeline_stays_near_its_entropy() -> None:
    chance = random.Random(1)
    at, table = 0, []
    for n in range(30_000):
        at += int(chance.expovariate(1 / 14))
        kind = chance.choices(range(10), [60, 8, 3, 6, 6, 6, 4, 2, 1, 1])[0]
        table.append((at, int(chance.expovariate(1 / 900)) if kind < 3 else 0, chance.randint(1, 1024), kind, n, 0))
    bits = sum(_entropy(column) for column in _columns(table))
    columns = {name: np.array([row[k] for row in table]) for k, name in enumerate(NAMES)}
    packed = gzipped(pieces(columns))
    assert gzip.decompress(packed) == encode(table)
    assert len(packed) * 8 / len(table) < bits * 1.1


def _columns(table: list[tuple[int, ...]]) -> list[list[int]]:
    times = [row[0] for row in table]
    steps = [b - a for a, b in zip([0, *times], times, strict=False)]
    return [steps, *([row[k] for row in table] for k in (1, 2, 3))]


def _entropy(values: list[int]) -> float:
    total = len(values)
    return -sum(count / total * math.log2(count / total) for count in Counter(values).values())


@pytest.mark.django_db
def test_a_live_timeline_grows_in_order_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "OPEN_EVERY_S", 0.0)
    monkeypatch.setattr(timeline, "ROWS", 16)
    run, story = new_run(), told()
    mind = Deriver(run.pk)
    for k in range(0, len(story), 20):
        hear(run, story[k : k + 20])
        mind.wake()
    segments = list(Segment.objects.filter(run=run, generation=1).order_by("k"))
    assert [segment.rows for segment in segments[:-1]] == [16] * (len(segments) - 1)
    assert len(segments) > 3
    found = [row for segment in segments for row in decode(gzip.decompress(bytes(segment.body)))]
    assert {KINDS[row[3]] for row in found} >= {
        "step",
        "turn",
        "claim",
        "note",
        "message",
        "pull",
        "review",
        "merge",
        "failure",
    }

"""What sources send is read safely, and the same whichever way it is read."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectories.ingest.jsontext import DEPTH, Unreadable, read, write
from trajectories.ingest.slices import elements, members

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (rb'"a\u0000b"', "a\u2400b"),
        (rb'"\ud800 and \udc00"', "\ufffd and \ufffd"),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (b"[NaN, Infinity, -Infinity, 1e999]", [None, None, None, None]),
        (b"123456789012345678901234567890", "123456789012345678901234567890"),
        (b"-9223372036854775808", -(2**63)),
        (b"9223372036854775808", "9223372036854775808"),
        (b"9223372036854775807", 2**63 - 1),
        (rb'{"\u0000": 1}', {"\u2400": 1}),
    ],
)
def test_hostile_values_become_harmless(raw: bytes, value: object) -> None:
    assert read(raw) == value


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested deeper"),
        (b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1), "nested deeper"),
        (b'"\xff"', "invalid UTF-8"),
        (b"{", "not JSON"),
        (b"", "not JSON"),
        (b"1" * 5_000_000 + b"x", "not JSON"),
    ],
)
def test_what_cannot_be_read_says_why(raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(raw)


def test_nesting_up_to_the_limit_is_read() -> None:
    assert read(b"[" * DEPTH + b"]" * DEPTH)


@given(values)
def test_any_value_survives_writing_and_reading_as_its_safe_self(value: object) -> None:
    once = read(write(value))
    assert read(write(once)) == once
    assert _is_safe(once)


@given(values)
def test_the_fast_way_and_the_slow_way_agree(value: object) -> None:
    raw = json.dumps(value).encode()
    padded = raw + b" " * 2 if isinstance(value, str) else b"[" + raw + rb', "\u0000"]'
    slow = read(padded)
    assert read(raw) == (slow if isinstance(value, str) else slow[0])


def _is_safe(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, list):
        return all(map(_is_safe, value))
    if isinstance(value, dict):
        return all(_is_safe(k) and _is_safe(v) for k, v in value.items())
    return not isinstance(value, float) or math.isfinite(value)


@given(st.lists(values, max_size=5))
def test_an_array_is_cut_into_the_texts_of_its_elements(items: list[object]) -> None:
    texts = elements(json.dumps(items).encode())
    assert texts == [json.dumps(item).encode() for item in items]


@given(st.dictionaries(st.sampled_from(["a", "b", "items"]), values, max_size=3))
def test_an_object_is_cut_into_its_members(value: dict[str, object]) -> None:
    assert members(json.dumps(value, indent=1).encode()).keys() == value.keys()


@pytest.mark.parametrize("raw", [b"", b"[1", b"[1]]", b"{}", b'["a]', b"[1] [2]", b'["' + rb"\"" * 200_000])
def test_what_is_no_array_is_refused_quickly(raw: bytes) -> None:
    with pytest.raises(ValueError):
        elements(raw)

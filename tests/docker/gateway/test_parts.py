"""The pure parts: purposes, prices with dates, the filter, the scrubber."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.asked import BadRequest, read
from gateway.budget import Budget
from gateway.filtering import UsageFilter
from gateway.prices import Price, cost_microusd, price_at, prices_of
from gateway.scrub import Scrubber
from gateway.usage import Meter, Usage
from tests.docker.gateway.model import text, used

TOOL = {"type": "function", "function": {"name": "bash"}}
HI = [{"role": "user", "content": "hi"}]
SUMMARY = [
    {"role": "user", "content": [{"type": "text", "text": "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."}]}
]


@pytest.mark.parametrize(
    ("api", "fields", "purpose"),
    [
        ("chat", {"messages": HI, "tools": [TOOL]}, "work"),
        ("chat", {"messages": HI}, "side"),
        ("chat", {"messages": HI, "tools": [TOOL], "response_format": {"type": "json_schema"}}, "side"),
        ("chat", {"messages": HI, "tools": [TOOL], "tool_choice": "none"}, "compaction"),
        ("responses", {"input": "hi", "tools": [TOOL]}, "work"),
        ("responses", {"input": HI, "text": {"format": {"type": "json_schema"}}, "tools": [TOOL]}, "side"),
        ("messages", {"messages": HI, "tools": [TOOL], "tool_choice": {"type": "none"}}, "compaction"),
        ("messages", {"messages": SUMMARY, "tools": [TOOL]}, "compaction"),
        ("messages", {"messages": [*SUMMARY, *HI], "tools": [TOOL]}, "work"),  # only the last message asks
        ("messages", {"messages": HI, "tools": [TOOL], "output_config": {"effort": "high"}}, "work"),
        ("chat", {"messages": "junk", "tools": {"no": "list"}, "tool_choice": 7}, "side"),
    ],
)
def test_what_a_request_is_for_is_read_from_its_shape(api: str, fields: dict[str, Any], purpose: str) -> None:
    assert read(api, json.dumps(fields).encode(), "m", False).purpose == purpose


def test_a_harness_that_says_what_a_request_is_for_is_believed() -> None:
    assert read("chat", b'{"messages": []}', "m", False, "compaction").purpose == "compaction"
    assert read("chat", b'{"messages": []}', "m", False, "nonsense").purpose == "side"


@given(st.binary(max_size=200))
def test_any_body_is_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadRequest):
        assert read("chat", body, "m", True).body()


def test_the_rest_of_a_request_passes_byte_by_byte() -> None:
    body = b'{"messages":[{"role":"user","content":"\\u00e9 \\ud83d\\ude00 1.0e2"}],"seed":1.50,"model":"m"}'
    asked = read("chat", body, "m", False)
    assert asked.body() == body


def test_the_price_is_the_one_that_held_on_the_day_of_the_request() -> None:
    row = {"model": "m", "cached": 0, "cache_write": 0, "output": 0}
    prices = prices_of(
        [{**row, "valid_from": "2026-03-01", "input": 3}, {**row, "valid_from": "2026-01-01", "input": 1}]
    )
    day = 86_400_000
    january = 1_767_225_600_000  # 2026-01-01
    assert price_at(prices, "m", january - 1) is None
    assert [price_at(prices, "m", january + n * day).input for n in (0, 58, 59)] == [1, 1, 3]  # type: ignore[union-attr]
    assert price_at(prices, "other", january) is None


def test_cost_is_whole_and_rounded_half_up() -> None:
    price = Price("m", "2020-01-01", input=1_500_000, cached=0, cache_write=0, output=0)
    assert [cost_microusd(price, Usage(n, 0, 0, 0, 0)) for n in (1, 2, 3)] == [2, 3, 5]
    assert cost_microusd(None, Usage(1, 0, 0, 1, 0)) is None
    assert cost_microusd(price, Usage()) is None


def test_the_nearer_limit_decides_a_budget() -> None:
    budget = Budget(microusd=1_000, tokens=100)
    assert [budget.state(*spent) for spent in ((0, 0), (899, 0), (900, 0), (0, 95), (1_000, 0), (0, 100))] == [
        "open",
        "open",
        "near",
        "near",
        "spent",
        "spent",
    ]
    assert Budget().state(10**12, 10**12) == "open"


@given(st.lists(st.integers(1, 9), max_size=40), st.sampled_from(["sk-aab", "aaab", "k", "abab"]))
def test_a_key_is_taken_out_wherever_the_pieces_are_cut(cuts: list[int], key: str) -> None:
    whole = f"x{key}yaab{key[:-1]} {key}{key} ab aa{key}".encode()
    scrubber, out, place = Scrubber(key), b"", 0
    for size in [*cuts, len(whole)]:
        out += scrubber.feed(whole[place : place + size])
        place += size
    out += scrubber.finish()
    assert out == whole.replace(key.encode(), b"[key]")


def test_a_piece_that_cannot_begin_a_key_is_held_back_by_nothing() -> None:
    assert Scrubber("sk-secret").feed(b"data: {}\n\n") == b"data: {}\n\n"


@given(st.lists(st.integers(1, 50), max_size=30))
def test_usage_is_found_and_filtered_however_a_stream_is_cut(cuts: list[int]) -> None:
    kept = f"data: {json.dumps(text('a'))}\n\ndata: [DONE]\n\n".encode()
    chunk = f"data: {json.dumps({'choices': [], 'usage': used(7, 3)})}\n\n".encode()
    whole = kept[:-14] + chunk + kept[-14:]
    meter, hide, out, place = Meter("chat", True), UsageFilter(), b"", 0
    for size in [*cuts, len(whole)]:
        piece = whole[place : place + size]
        meter.feed(piece)
        out += hide.feed(piece)
        place += size
    assert out + hide.finish() == kept
    assert (meter.finish().input_tokens, meter.usage.output_tokens) == (7, 3)

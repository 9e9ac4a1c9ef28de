from __future__ import annotations

from typing import Any

import pytest

from trajectories.events import KINDS
from trajectories.sources.base import RawDelivery, Skipped
from trajectories.sources.gateway import parse

ROW = {
    "n": 4,
    "at": "2026-11-29T09:00:00.000Z",
    "worker": 17,
    "request": "r4",
    "purpose": "work",
    "model": "scripted",
    "input_tokens": 4000,
    "cached_tokens": 2000,
    "output_tokens": 300,
    "reasoning_tokens": 75,
    "cost_microusd": None,
    "status": 200,
    "took_ms": 600,
}


def parsed(body: Any) -> Any:
    return parse(RawDelivery("4", 4, 1_000, 1_000, body))


def test_a_ledger_row_is_one_metered_request_of_its_worker() -> None:
    (event,) = parsed(ROW)
    assert (event.kind, event.worker, event.ref, event.at) == ("request.metered", 17, "gateway:4", 1_000)
    assert event.fields == {name: ROW[name] for name in KINDS["request.metered"].fields}


def test_a_figure_that_is_no_whole_number_is_unknown_not_zero() -> None:
    (event,) = parsed(ROW | {"input_tokens": "many", "output_tokens": -1, "cached_tokens": True, "purpose": "fun"})
    assert [event.fields[name] for name in ("input_tokens", "output_tokens", "cached_tokens")] == [None, None, None]
    assert event.fields["purpose"] == "work"


@pytest.mark.parametrize("body", [None, [], {}, ROW | {"worker": 0}, ROW | {"worker": "17"}, ROW | {"worker": True}])
def test_junk_is_skipped(body: Any) -> None:
    assert isinstance(parsed(body), Skipped)

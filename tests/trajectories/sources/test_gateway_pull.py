"""The gateway's ledger is read like any outbox: page by page from a cursor, and from its database once the gateway is gone."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from gateway.ledger import Ledger
from trajectories.sources.gateway import parse, pull


def test_a_gateway_that_is_gone_still_tells_all_its_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "gateway.db")
    for n in range(3):
        ledger.begin(f"r{n}", {"worker": 4})
        ledger.end(f"r{n}", {"worker": 4, "purpose": "work", "input_tokens": n, "status": 200})
    ledger.begin("open", {"worker": 4})
    ledger.close()
    place = {"gateway": {"url": "http://127.0.0.1:9", "outbox": f"sqlite:///{tmp_path / 'gateway.db'}"}}
    first = pull(place, None)
    assert [(each.id, each.seq) for each in first.deliveries] == [("1", 1), ("2", 2), ("3", 3)]
    assert (first.cursor, first.more, pull(place, 3).deliveries) == (3, False, [])
    (event,) = parse(first.deliveries[2])  # type: ignore[misc]
    assert (event.kind, event.worker, event.fields["input_tokens"]) == ("request.metered", 4, 2)
    with pytest.raises(httpx.ConnectError):
        pull({"gateway": {"url": "http://127.0.0.1:9"}}, 0)


def test_a_run_without_a_gateway_has_nothing_to_read() -> None:
    assert pull({}, 7).cursor == 7

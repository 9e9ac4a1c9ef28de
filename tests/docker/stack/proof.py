"""What must hold of every run on a real engine when it is over, whatever was done to it."""

from __future__ import annotations

import time

from tests.docker.stack.production import Production

SOURCES = {"board", "gitea", "mattermost", "gateway", "acp", "run"}


def complete(production: Production, slug: str) -> None:
    """Lost 0, doubled 0 in every source, and nothing of a stack left on the engine."""
    end = time.monotonic() + 20  # late deliveries of a run that is over are still taken
    while True:
        ledger = production.ledger(slug)
        wrong = {source: row for source, row in ledger.items() if (row["lost"], row["doubled"]) != (0, 0)}
        if not wrong or time.monotonic() > end:
            break
        time.sleep(1)
    assert set(ledger) >= SOURCES
    assert wrong == {}
    assert all(ledger[source]["outbox"] > 0 for source in SOURCES), ledger
    while "counted" not in (ran := production.run(slug)["provenance"]) and time.monotonic() < end:
        time.sleep(0.5)
    counted = ran["counted"]["sources"]  # by the app itself, once the run was settled
    assert {name: (row["lost"], row["doubled"]) for name, row in counted.items()} == dict.fromkeys(ledger, (0, 0))
    print(f"{slug}: " + ", ".join(f"{name} {row['stored']}" for name, row in ledger.items()) + "; lost 0, doubled 0")


def nothing_left(production: Production) -> None:
    """No container, network or volume of any run."""
    assert production.left_over() == []

"""The only way out of `runs/`: a doorbell. It carries a run's id and nothing else; whoever hears it reads the database."""

from __future__ import annotations

from django.db import transaction
from django.dispatch import Signal

run_changed = Signal()  # run_id: int


def ring(run_id: int) -> None:
    """Ring once the present transaction has committed. A lost ring costs delay, never data: a failing listener is logged."""
    transaction.on_commit(lambda: run_changed.send_robust(sender=None, run_id=run_id))

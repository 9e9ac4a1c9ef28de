"""Rows of runs: the run as a state machine, its workers, its outbox of events, its tokens and what people did."""

from __future__ import annotations

from runs.models.action import Action
from runs.models.event import RunEvent
from runs.models.offers import Endpoint, LanguageModel, Price
from runs.models.people import ApiToken, SignInLink
from runs.models.run import FINAL, MOVES, IllegalMove, Run, Status
from runs.models.token import WorkerToken
from runs.models.worker import Worker

__all__ = [
    "FINAL",
    "MOVES",
    "Action",
    "ApiToken",
    "Endpoint",
    "IllegalMove",
    "LanguageModel",
    "Price",
    "Run",
    "RunEvent",
    "SignInLink",
    "Status",
    "Worker",
    "WorkerToken",
]

"""The run's clock: this machine's, put right by what the app and the team's services say in their answers.

A deadline is a moment of the app's clock. A node whose clock is an hour off would end an hour early or late, and start the ramp with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from email.utils import parsedate_to_datetime

import httpx

SMALL_S = 5.0  # less than this is the header's whole second, the network and a busy machine
HEARD_S = 3.0


class Clock:
    """Seconds since the epoch as the app counts them; `offset` is what is added to this machine's clock."""

    def __init__(self) -> None:
        self.offset = 0.0

    def now(self) -> float:
        """The run's time."""
        return time.time() + self.offset

    def hear(self, answer: httpx.Response, asked_at: float) -> None:
        """Compare with an answer's `Date` (whole seconds); `asked_at` is `time.time()` before the request."""
        try:
            said = parsedate_to_datetime(answer.headers["date"]).timestamp() + 0.5
        except (KeyError, ValueError, TypeError):
            return
        heard_at = time.time()
        if heard_at - asked_at > HEARD_S:
            return  # when in that time it was said, nobody knows
        offset = said - (asked_at + heard_at) / 2
        if abs(offset - self.offset) > SMALL_S:
            self.offset = offset if abs(offset) > SMALL_S else 0.0

    async def ask(self, client: httpx.AsyncClient, urls: Iterable[str]) -> None:
        """Ask the first that answers. None does: this machine's clock has to do until one is heard."""
        for url in urls:
            asked_at = time.time()
            try:
                self.hear(await client.head(url, timeout=HEARD_S), asked_at)
                return
            except (httpx.HTTPError, ValueError):
                continue

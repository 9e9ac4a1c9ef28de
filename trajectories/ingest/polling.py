"""Reading one source's outbox on, and keeping its health: when it last answered, its newest row, what went wrong since when."""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Mapping
from typing import Any

from trajectories.ingest.incoming import fault, incoming
from trajectories.ingest.store import store
from trajectories.models import Feed, now_ms
from trajectories.sources import source
from trajectories.sources.base import Pulled

logger = logging.getLogger(__name__)
PAGES = 10  # in one go, so that one source far behind does not starve the others
KEEP_S = 1.0  # the health row is written at most this often while nothing else changes
LONGEST_PAUSE_S = 5.0


class Poller:
    """Polls one source of one run. Its cursor moves only after what it read is stored."""

    def __init__(self, run_id: int, name: str) -> None:
        self.run_id, self.name = run_id, name
        self.feed = Feed.objects.get_or_create(run_id=run_id, source=name)[0]
        self.cursor = json.loads(self.feed.cursor)
        self.is_empty = False  # it answered, and had nothing more
        self.kept_at = 0.0
        self.kept: tuple[Any, ...] = ()
        self.pause_s, self.again_at = 0.0, 0.0

    def poll(self, endpoints: Mapping[str, Any], *, final: bool) -> None:
        """Read on. A source that fails is asked again after a growing pause; the others do not notice."""
        if not self._has_place(endpoints):
            self.is_empty = True
            return
        if time.monotonic() < self.again_at:
            return
        try:
            self.is_empty = self._read(endpoints, final)
            self.pause_s = 0.0
        except Exception as problem:  # whatever a source's far side does: record it, go on
            logger.info("run %s: %s cannot be read: %s", self.run_id, self.name, problem)
            self._failed(f"{type(problem).__name__}: {problem}")
            self.pause_s = min(LONGEST_PAUSE_S, self.pause_s * 2 or 0.5)
            self.again_at = time.monotonic() + self.pause_s
            self.is_empty = final  # at the end a source that is gone has nothing more to say
        if time.monotonic() - self.kept_at > KEEP_S:
            self.keep()

    def keep(self) -> None:
        """Write cursor and health."""
        feed = self.feed
        state = (json.dumps(self.cursor), feed.polled_at, feed.newest_at, feed.error, feed.error_since)
        if state == self.kept:
            return
        facts = dict(zip(("cursor", "polled_at", "newest_at", "error", "error_since"), state, strict=True))
        if facts["newest_at"] is None:
            del facts["newest_at"]
        Feed.objects.filter(pk=feed.pk).update(**facts)
        self.kept, self.kept_at = state, time.monotonic()

    def _has_place(self, endpoints: Mapping[str, Any]) -> bool:
        needed = {"run": "run", "board": "board", "mattermost": "chat", "gitea": "forge"}[self.name]
        return bool(endpoints.get(needed))

    def _read(self, endpoints: Mapping[str, Any], final: bool) -> bool:
        pull = source(self.name).pull
        more: dict[str, Any] = {"final": final} if "final" in inspect.signature(pull).parameters else {}
        fresh = 0
        for _ in range(PAGES):
            page: Pulled = pull(endpoints, self.cursor, **more)
            fresh += self._store(page)
            self.cursor = page.cursor
            self.feed.polled_at = now_ms()
            if page.newest_at is not None:
                self.feed.newest_at = max(self.feed.newest_at or 0, page.newest_at)
            if not page.more:
                break
        error = self._told(self.cursor)
        if error:
            self._failed(error)
        else:
            self.feed.error, self.feed.error_since = "", None
        return not page.more and fresh == 0

    def _store(self, page: Pulled) -> int:
        sound = []
        for delivery in map(incoming, page.deliveries):
            reason = fault(delivery)
            if reason:
                logger.error("run %s: %s delivery %r: %s", self.run_id, self.name, str(delivery.id)[:80], reason)
            else:
                sound.append(delivery)
        if not sound:
            return 0
        done = store(self.run_id, self.name, sound)
        if done.new:
            self.kept_at = 0.0  # write the cursor now: a restart should not read these again
        return done.new

    def _failed(self, reason: str) -> None:
        self.feed.error = reason[:300]
        self.feed.error_since = self.feed.error_since or now_ms()

    @staticmethod
    def _told(cursor: Any) -> str:
        """What a source that could read its outbox but not sweep says in its cursor."""
        sweep = cursor.get("sweep") if isinstance(cursor, dict) else None
        error = sweep.get("error") if isinstance(sweep, dict) else None
        return str(error) if error else ""

"""Reading one source's outbox on, and keeping its health: when it last answered, its newest row, what went wrong since when."""

from __future__ import annotations

import inspect
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.db import connections

from trajectories.ingest.incoming import fault, incoming
from trajectories.ingest.store import store
from trajectories.models import Feed, now_ms
from trajectories.sources import source
from trajectories.sources.base import Pulled

logger = logging.getLogger(__name__)
PAGES = 10  # in one go, so that one source far behind does not starve the others
KEEP_S = 1.0  # the health row is written at most this often while nothing else changes
LONGEST_PAUSE_S = 5.0
HUNG_S = 10.0  # a source that is silent for so long is shown as failing
_PLACES = {"run": "run", "board": "board", "mattermost": "chat", "gitea": "forge", "gateway": "gateway"}
ABANDON_S = 60.0  # and after this it is asked anew, whatever became of the first question


class Asked:
    """Pages being read, on a thread of their own: a far side that hangs holds up nobody else."""

    def __init__(self, pull: Callable[..., Pulled], cursor: Any, *, apart: bool) -> None:
        self.pull, self.cursor = pull, cursor
        self.pages: list[Pulled] = []
        self.problem: Exception | None = None
        self.since = time.monotonic()
        self.done = threading.Event()
        self.apart = apart
        if apart:
            threading.Thread(target=self._read, name="poll", daemon=True).start()
        else:
            self._read()

    def wait(self, until: float) -> bool:
        """True once it has answered."""
        return self.done.wait(max(0.0, until - time.monotonic()))

    def waited(self) -> float:
        """Seconds since it was asked."""
        return time.monotonic() - self.since

    def _read(self) -> None:
        try:
            for _ in range(PAGES):
                page = self.pull(cursor=self.cursor)
                self.pages.append(page)
                self.cursor = page.cursor
                if not page.more:
                    break
        except Exception as problem:
            self.problem = problem
        finally:
            if self.apart:
                connections.close_all()  # this thread's: nobody else would close what a source asked for here
            self.done.set()


class Poller:
    """Polls one source of one run. Its cursor moves only after what it read is stored."""

    def __init__(self, run_id: int, name: str) -> None:
        self.run_id, self.name = run_id, name
        self.feed = Feed.objects.get_or_create(run_id=run_id, source=name)[0]
        self.cursor = json.loads(self.feed.cursor)
        self.is_empty = False  # it answered, and had nothing more
        self.asked: Asked | None = None
        self.kept_at = 0.0
        self.kept: tuple[Any, ...] = ()
        self.pause_s, self.again_at = 0.0, 0.0

    def ask(self, endpoints: Mapping[str, Any], *, final: bool, gone: bool = False) -> None:
        """Begin to read on, beside the other sources. One that has not answered yet is not asked again; `gone`: a database is no longer there."""
        if self.asked is not None and self.asked.waited() < ABANDON_S:
            return
        if not self._has_place(endpoints) or (gone and self._is_database(endpoints)):
            self.is_empty = True
            return
        if time.monotonic() < self.again_at:
            return
        pull = source(self.name).pull
        more: dict[str, Any] = {"final": final} if "final" in inspect.signature(pull).parameters else {}
        # Our own outbox is read on this thread's connection, and cannot hang.
        self.asked = Asked(partial(pull, endpoints, **more), self.cursor, apart=self.name != "run")

    def take(self, until: float, *, final: bool) -> None:
        """Store what it answers until then (monotonic). A source that fails is asked again after a growing pause; the others do not notice."""
        asked = self.asked
        if asked is None:
            return
        if not asked.wait(until):
            if asked.waited() > HUNG_S:
                self._failed(f"has not answered for {asked.waited():.0f} s")
                self.is_empty = final
                self._keep_now_and_then()
            return
        self.asked = None
        try:
            self.is_empty = self._store_pages(asked.pages)
            if asked.problem is not None:
                raise asked.problem
            self.pause_s = 0.0
        except Exception as problem:  # whatever a source's far side does: record it, go on
            logger.info("run %s: %s cannot be read: %s", self.run_id, self.name, problem)
            self._failed(f"{type(problem).__name__}: {problem}")
            self.pause_s = min(LONGEST_PAUSE_S, self.pause_s * 2 or 0.5)
            self.again_at = time.monotonic() + self.pause_s
            self.is_empty = final  # at the end a source that is gone has nothing more to say
        self._keep_now_and_then()

    def _keep_now_and_then(self) -> None:
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
        return bool(endpoints.get(_PLACES[self.name]))

    def _is_database(self, endpoints: Mapping[str, Any]) -> bool:
        """True if the outbox is the database of a real service, which goes with the run's stack; files stay."""
        place = endpoints.get(_PLACES[self.name])
        return isinstance(place, Mapping) and str(place.get("outbox") or "").startswith("postgres")

    def _store_pages(self, pages: list[Pulled]) -> bool:
        """True if there was nothing new and nothing is left."""
        fresh = 0
        for page in pages:
            fresh += self._store(page)
            self.cursor = page.cursor
            self.feed.polled_at = now_ms()
            if page.newest_at is not None:
                self.feed.newest_at = max(self.feed.newest_at or 0, page.newest_at)
        error = self._told(self.cursor)
        if error:
            self._failed(error)
        elif pages:
            self.feed.error, self.feed.error_since = "", None
        return bool(pages) and not pages[-1].more and fresh == 0

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

"""Shipping: spooled items go to the app in acknowledged gzip batches, at their own pace, as often as it takes.

`python -m worker.ship --config worker.json --seconds 20` ships what a dead worker left behind (all lives): 0 = nothing is left.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from worker.config import BadConfig, Config, load
from worker.spool import Reader, lives
from worker.times import now_iso

ITEMS = 500
BYTES = 1 << 20
SLOWEST = 5.0


class Shipper:
    """Ships every life's spool in `folder`, oldest first. Never raises: what fails now is tried again later."""

    def __init__(self, config: Config, client: httpx.AsyncClient, flush: Callable[[], None] = lambda: None) -> None:
        self._config, self._client, self._flush = config, client, flush
        self._readers: dict[int, Reader] = {}
        self._given_up: set[int] = set()
        self._most = ITEMS
        self.harness = config.harness
        self.heard: Callable[[httpx.Response, float], None] = lambda answer, asked_at: None
        self.superseded: Callable[[], None] = lambda: None
        self.wake = asyncio.Event()
        self.trouble = ""

    async def run(self) -> None:
        """Ship until cancelled. An empty spool is looked at again when `wake` is set, or after a second."""
        wait = 0.2
        while True:
            sent = await self.once()
            if sent is None:
                await asyncio.sleep(wait)
                wait = min(SLOWEST, wait * 2)
                continue
            wait = 0.2
            if not sent:
                await self._idle()

    async def _idle(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(1):  # not wait_for: in Python 3.11 it may swallow that we are cancelled
                await self.wake.wait()
        self.wake.clear()
        await asyncio.sleep(0.1)  # let a burst gather into one batch

    async def drain(self, seconds: float) -> bool:
        """Ship what is left, at most so long; whether nothing is left."""
        end = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < end:
            try:
                async with asyncio.timeout(max(0.1, end - asyncio.get_running_loop().time())):
                    sent = await self.once()
            except TimeoutError:
                break
            if sent == 0:
                return not self._given_up
            if sent is None:
                await asyncio.sleep(0.25)
        return False

    async def once(self) -> int | None:
        """Ship one batch: how many items became durable, 0 if nothing was waiting, None if the app could not take them."""
        try:
            self._flush()
        except OSError as error:  # a full disk: what is in the buffer stays there
            self.trouble = repr(error)
            return None
        for life in lives(self._config.spool_dir):
            if life in self._given_up:
                continue
            reader = self._readers.setdefault(life, Reader(self._config.spool_dir, life))
            page = reader.page(self._most, BYTES)
            if page:
                return await self._send(reader, page)
        return 0

    async def _send(self, reader: Reader, page: list[bytes]) -> int | None:
        url, headers = self._config.ingest_url(), {"Authorization": f"Bearer {self._config.token('ingest')}"}
        if not url:
            self.trouble = "no ingest endpoint"
            return None
        head = json.dumps({"worker": self._config.worker, "life": reader.life, "sent_at": now_iso()})
        batch = gzip.compress(f'{head[:-1]}, "items":['.encode() + b",".join(line[:-1] for line in page) + b"]}", 5)
        try:
            if not await self._blobs(url, headers, page):
                return None
            asked_at = time.time()
            answer = await self._client.post(
                f"{url}/acp",
                content=batch,
                headers={
                    **headers,
                    "Content-Type": "application/json",
                    "Content-Encoding": "gzip",
                    "X-Agensh-Harness": self.harness,
                },
            )
            self.heard(answer, asked_at)
            if answer.status_code == 200:
                return self._took(reader, page, answer.json())
        except (httpx.HTTPError, OSError, ValueError, KeyError, TypeError) as error:
            self.trouble = repr(error)
            return None
        return await self._refused(reader, page, answer)

    def _took(self, reader: Reader, page: list[bytes], said: dict[str, Any]) -> int | None:
        """Move on behind what is durable, and behind what the app has refused for good."""
        if said.get("older_life") and reader.life == self._config.life:
            self.superseded()
        results = said.get("results") or []
        refused = {item["n"] for item in results if item.get("status") == "refused"}
        durable, last, before = int(said["acknowledged"]), reader.next + len(page) - 1, reader.next
        upto = min(durable, last)
        while upto + 1 in refused and upto < last:
            upto += 1
        if upto < before:
            self.trouble = f"the app acknowledged {durable} of {last}"
            return None
        self.trouble = ""
        self._most = ITEMS
        reader.done(upto)
        return upto - before + 1

    async def _refused(self, reader: Reader, page: list[bytes], answer: httpx.Response) -> int | None:
        self.trouble = f"the app answered {answer.status_code}: {answer.text[:200]}"
        if answer.status_code == 413 and len(page) > 1:
            self._most = max(1, len(page) // 2)
            return None
        if answer.status_code == 413:
            reader.done(reader.next)  # one item alone is too big: its bytes stay in the spool
            return 1
        if answer.status_code == 429:
            await asyncio.sleep(min(SLOWEST, float(answer.headers.get("Retry-After") or 1)))
        if answer.status_code in (400, 401, 403, 409, 422) and reader.life != self._config.life:
            self._given_up.add(reader.life)  # an older life's leftovers must not hold up this one
        return None

    async def _blobs(self, url: str, headers: dict[str, str], page: list[bytes]) -> bool:
        """Send the blobs that a page names, before the page: a stored item's blob exists."""
        if not any(b'"$cut"' in line for line in page):
            return True
        folder = self._config.spool_dir / "blobs"
        for path in [folder / digest for line in page if b'"$cut"' in line for digest in _digests(json.loads(line))]:
            if path.exists() and not path.with_suffix(".sent").exists():
                data = path.read_bytes()
                answer = await self._client.put(f"{url}/blobs/{path.name}", content=data, headers=headers)
                if answer.status_code >= 500 or answer.status_code == 429:
                    self.trouble = f"blob {path.name}: the app answered {answer.status_code}"
                    return False
                path.with_suffix(".sent").touch()
        return True


def _digests(value: Any) -> list[str]:
    """Hashes of the cut strings in a message."""
    if isinstance(value, list):
        return [digest for item in value for digest in _digests(item)]
    if not isinstance(value, dict):
        return []
    mark = value.get("$cut")
    if isinstance(mark, dict) and len(str(mark.get("sha256"))) == hashlib.sha256().digest_size * 2:
        return [str(mark["sha256"])]
    return [digest for item in value.values() for digest in _digests(item)]


def client(config: Config) -> httpx.AsyncClient:
    """One HTTP client for a worker. Certificates are loaded (30 ms, 10 MB) only where an address needs them."""
    secure = any(str(endpoint.get("url", "")).startswith("https:") for endpoint in config.endpoints.values())
    limits = httpx.Limits(max_connections=20)
    return httpx.AsyncClient(timeout=httpx.Timeout(20, connect=5), trust_env=False, limits=limits, verify=secure)


async def _salvage(config: Config, seconds: float) -> bool:
    async with client(config) as http:
        shipper = Shipper(config, http)
        done = await shipper.drain(seconds)
        if shipper.trouble:
            print(f"worker.ship: {shipper.trouble}", file=sys.stderr)
        return done


def main(argv: list[str] | None = None) -> int:
    """Ship what is left in a worker's spool."""
    parser = argparse.ArgumentParser(prog="worker.ship", description=__doc__)
    parser.add_argument("--config", required=True, type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    asked = parser.parse_args(argv)
    try:
        config = load(asked.config)
    except BadConfig as error:
        print(f"worker.ship: {error}", file=sys.stderr)
        return 2
    return 0 if asyncio.run(_salvage(config, asked.seconds)) else 1


if __name__ == "__main__":
    sys.exit(main())

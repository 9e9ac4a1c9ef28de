"""A real gateway process between a test and a model endpoint on a socket."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docker.gateway.model import FakeModel, chat, whole

ROOT = Path(__file__).resolve().parents[3]
KEY = "sk-canary-4f1c0ffee-model-key"
PRICES = [
    {
        "model": "m",
        "valid_from": "2020-01-01",
        "input": 2_000_000,
        "cached": 500_000,
        "cache_write": 2_500_000,
        "output": 10_000_000,
    }
]


@dataclass
class Gateway:
    """The process, its folder and how to speak to it as worker 1 or as the ingest."""

    folder: Path
    config: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None
    url: str = ""
    client: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(timeout=20, trust_env=False))

    async def start(self) -> Gateway:
        (self.folder / "config.json").write_text(json.dumps(self.config))
        ready = self.folder / "ready.json"
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "docker"), "PYTHONUNBUFFERED": "1"}
        with (self.folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gateway", "--config", str(self.folder / "config.json")],
                env=env,
                stdout=log,
                stderr=log,
            )
        for _ in range(400):
            told = json.loads(ready.read_text()) if ready.exists() else {}
            if told.get("pid") == self.process.pid:
                self.url = told["url"]
                return self
            assert self.process.poll() is None, (self.folder / "log.txt").read_text()
            await asyncio.sleep(0.05)
        raise AssertionError("the gateway did not come up")

    async def stop(self, sign: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(sign)
        return await asyncio.to_thread(self.process.wait, 10)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": "Bearer token-1"}

    async def ask(
        self, body: dict[str, Any] | None = None, path: str = "/v1/chat/completions", **headers: str
    ) -> httpx.Response:
        said = body or {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function"}]}
        return await self.client.post(self.url + path, json=said, headers={**self.headers, **headers})

    async def read(self, path: str) -> Any:
        answer = await self.client.get(self.url + path, headers={"Authorization": "Bearer token-ingest"})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def rows(self) -> list[dict[str, Any]]:
        """The ledger, once nothing is under way."""
        for _ in range(100):
            if (await self.read("/status"))["under_way"] == 0:
                break
            await asyncio.sleep(0.02)
        rows: list[dict[str, Any]] = (await self.read("/ledger"))["rows"]
        assert [row["n"] for row in rows] == list(range(1, len(rows) + 1))
        return rows


@pytest.fixture
async def model() -> AsyncIterator[FakeModel]:
    made = await FakeModel(whole(chat())).start()
    yield made
    await made.stop()


@pytest.fixture
async def gateway_of(tmp_path: Path, model: FakeModel) -> AsyncIterator[Callable[..., Any]]:
    """Start a gateway with further settings."""
    made: list[Gateway] = []

    async def start(**settings: Any) -> Gateway:
        folder = tmp_path / f"gateway-{len(made)}"
        folder.mkdir()
        (folder / "key").write_text(KEY)
        (folder / "tokens.json").write_text(
            json.dumps({"workers": {"1": "token-1", "17": "token-17"}, "ingest": "token-ingest"})
        )
        common = {
            "data_dir": str(folder),
            "ready_file": str(folder / "ready.json"),
            "tokens_file": str(folder / "tokens.json"),
        }
        own = {"model": "m", "endpoint": model.url, "key_file": str(folder / "key"), "prices": PRICES}
        made.append(Gateway(folder, {**common, **own, **settings}))
        return await made[-1].start()

    yield start
    for each in made:
        await each.client.aclose()
        if each.process is not None and each.process.poll() is None:
            await each.stop(signal.SIGKILL)


@pytest.fixture
async def gateway(gateway_of: Callable[..., Any]) -> Gateway:
    found: Gateway = await gateway_of()
    return found

"""The load of `bench real`, a program of its own: workers that poll, push, review, merge and post by the worker's own clients and feeds.

`python crowd.py CONFIG`: `{"names", "tokens" (folder), "forge", "chat" (endpoints), "clones" (folder), "remote", "seconds", "act_s", "sustained_s"}`.
Prints one JSON object: calls a second and how long they took by service while the team worked, then what each kind of call sustains alone.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.clients.http import ToolError
from worker.feeds import ChatFeed, RepoFeed

CHAT_S, REPO_S = 1.0, 2.0  # how often a worker's feeds ask, as in a run
AT_ONCE, PUSHES_AT_ONCE = 16, 4


class Calls:
    """Seconds of every call by service, statuses, and what failed."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = defaultdict(list)
        self.statuses: Counter[str] = Counter()
        self.done: Counter[str] = Counter()

    async def began(self, request: httpx.Request) -> None:
        request.extensions["began"] = time.monotonic()

    def client(self, service: str) -> httpx.AsyncClient:
        async def ended(answer: httpx.Response) -> None:
            await answer.aread()
            self.took[service].append(time.monotonic() - answer.request.extensions["began"])
            self.statuses[f"{service} {answer.request.method} {answer.status_code}"] += 1

        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        return httpx.AsyncClient(
            event_hooks={"request": [self.began], "response": [ended]}, trust_env=False, limits=limits
        )

    def told(self, seconds: float) -> dict[str, Any]:
        return {name: figures(took, seconds) for name, took in sorted(self.took.items())}


def figures(took: list[float], seconds: float) -> dict[str, float]:
    """Calls a second, and milliseconds of the middle and the slowest twentieth."""
    ordered = sorted(took) or [0.0]
    p50, p95 = (round(1000 * ordered[int(len(ordered) * share)], 1) for share in (0.5, 0.95))
    return {"per_s": round(len(took) / seconds, 1), "p50_ms": p50, "p95_ms": p95}


class Memory:
    """An inbox that keeps the feeds' places and nothing else."""

    def __init__(self) -> None:
        self.places: dict[str, Any] = {}

    def recall(self, key: str, default: Any) -> Any:
        return self.places.get(key, default)

    def store(self, items: list[Any], places: dict[str, Any]) -> None:
        self.places |= places


class Member:
    """One worker of the crowd."""

    def __init__(self, told: dict[str, Any], name: str, calls: Calls, clients: dict[str, httpx.AsyncClient]) -> None:
        self.name, self.told, self.calls = name, told, calls
        self.endpoints = {"forge": told["forge"], "chat": told["chat"]}
        self.random, self.count = random.Random(name), 0  # noqa: S311 - the same crowd each time
        self.forge, self.chat = Forge(self, clients["forge"]), Chat(self, clients["chat"])  # type: ignore[arg-type]
        memory: Any = Memory()
        self.feeds = [(ChatFeed(self.chat, memory), CHAT_S), (RepoFeed(self.forge, memory), REPO_S)]

    def token(self, service: str) -> str:
        """As the worker's own file says it."""
        return Path(self.told["tokens"], f"{self.name}.{service}").read_text().strip()

    async def work(self, until: float) -> None:
        """Poll and act until then."""
        await asyncio.gather(*(self._poll(feed, pause, until) for feed, pause in self.feeds), self._act(until))

    async def _poll(self, feed: Any, pause: float, until: float) -> None:
        await asyncio.sleep(self.random.random() * pause)
        while time.monotonic() < until:
            await self._try("poll", feed.step)
            await asyncio.sleep(pause)

    async def _act(self, until: float) -> None:
        act_s = float(self.told["act_s"])
        await asyncio.sleep(self.random.random() * act_s)
        while time.monotonic() < until:
            await self._try("act", self._look_and_act)
            await self._try("say", self._say)
            await asyncio.sleep(act_s * (0.5 + self.random.random()))

    async def _try(self, what: str, step: Callable[[], Awaitable[Any]]) -> None:
        try:
            await step()
            self.calls.done[what] += 1
        except (ToolError, httpx.HTTPError, RuntimeError) as fault:
            self.calls.done[f"{what} failed: {str(fault)[:60]}"] += 1

    async def _look_and_act(self) -> None:
        """Review what waits for me, merge what two approve, else push something new."""
        for pull in await self.forge.pulls("open"):
            approvals = {each["reviewer"] for each in pull["reviews"] if each["verdict"] == "approved"}
            if pull["author"] == self.name or (self.name in approvals and len(approvals) < 2):
                continue
            if len(approvals) >= 2:
                await self.forge.merge(pull["number"])
                self.calls.done["merged"] += 1
                return
            if self.name in pull["requested"]:
                await self.forge.review(pull["number"], "approve", "ran it")
                self.calls.done["reviewed"] += 1
                return
        if self.random.random() < 0.5:
            await self.push()
            number = (await self.forge.open(f"{self.name}/b{self.count}", f"Add {self.count}", "Claim: n1"))["number"]
            await self.forge.request_review(
                number, self.random.sample([n for n in self.told["names"] if n != self.name], 2)
            )
            self.calls.done["opened"] += 1

    async def _say(self) -> None:
        text = f"{self.name} says {self.count}: {'what it found out ' * 8}"
        if self.random.random() < 0.2:
            peers = [name for name in self.told["names"] if name != self.name]
            await self.chat.direct(self.random.choice(peers), text)
        else:
            await self.chat.post(text)

    async def push(self) -> None:
        """A branch of one commit, by git."""
        self.count += 1
        began = time.monotonic()
        await asyncio.to_thread(self._push, f"{self.name}/b{self.count}")
        self.calls.took["git push"].append(time.monotonic() - began)

    def _push(self, branch: str) -> None:
        clone = Path(self.told["clones"]) / self.name
        if not clone.exists():
            self._git(clone.parent, "clone", "--quiet", self._remote(), str(clone))
        (clone / f"{self.name}-{self.count}.txt").write_text(f"{self.count}\n")
        self._git(clone, "checkout", "--quiet", "--no-track", "-B", branch, "origin/main")
        self._git(clone, "add", "--all")
        self._git(
            clone,
            "-c",
            f"user.name={self.name}",
            "-c",
            f"user.email={self.name}@workers.invalid",
            "commit",
            "--quiet",
            "-m",
            branch,
        )
        self._git(clone, "push", "--quiet", "origin", branch)

    def _remote(self) -> str:
        return str(self.told["remote"]).replace("://", f"://{self.name}:{self.token('forge')}@")

    @staticmethod
    def _git(folder: Path, *words: str) -> None:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"git {words[0]}: {done.stderr[-200:]}")


async def sustained(at_once: int, seconds: float, step: Callable[[int], Awaitable[Any]]) -> dict[str, float]:
    """So many at once, each again as soon as it is answered."""
    took: list[float] = []
    until = time.monotonic() + seconds

    async def one(n: int) -> None:
        while time.monotonic() < until:
            began = time.monotonic()
            await step(n)
            took.append(time.monotonic() - began)

    await asyncio.gather(*(one(n) for n in range(at_once)))
    return {**figures(took, seconds), "at_once": at_once}


async def alone(members: list[Member], told: dict[str, Any]) -> dict[str, Any]:
    """What each kind of call sustains, one kind after the other, beside a call that does nothing."""
    seconds, some = float(told["sustained_s"]), (members * AT_ONCE)[:AT_ONCE]
    number = (await members[0].forge.raw_pulls("all", pages=1))[-1]["number"]
    since = int(time.time() * 1000) - 60_000
    kinds: dict[str, tuple[int, Callable[[int], Awaitable[Any]]]] = {
        "forge: health, nothing else": (AT_ONCE, lambda n: some[n].forge.call("GET", "/api/healthz")),
        "forge: 50 newest pulls": (AT_ONCE, lambda n: some[n].forge.raw_pulls("all", "recentupdate", 1)),
        "forge: reviews of a pull": (AT_ONCE, lambda n: some[n].forge.review_rows(number)),
        "forge: git push of a new branch": (PUSHES_AT_ONCE, lambda n: some[n].push()),
        "chat: ping, nothing else": (AT_ONCE, lambda n: some[n].chat.call("GET", "/system/ping")),
        "chat: read a minute": (AT_ONCE, lambda n: some[n].chat.read(since)),
        "chat: post": (AT_ONCE, lambda n: some[n].chat.post("a word")),
    }
    return {name: await sustained(at_once, seconds, step) for name, (at_once, step) in kinds.items()}


async def main(told: dict[str, Any]) -> dict[str, Any]:
    calls = Calls()
    clients = {service: calls.client(service) for service in ("forge", "chat")}
    members = [Member(told, name, calls, clients) for name in told["names"]]
    began = time.monotonic()
    await asyncio.gather(*(member.work(began + float(told["seconds"])) for member in members))
    seconds = time.monotonic() - began
    print(json.dumps({"worked": round(seconds)}), flush=True)
    team = {"calls": calls.told(seconds), "done": dict(calls.done), "statuses": dict(calls.statuses)}
    ended = {"team": team, "sustained": await alone(members, told)}
    for client in clients.values():
        await client.aclose()
    return ended


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))))

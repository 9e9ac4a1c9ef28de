"""A forge's REST side in memory, for sweeps to sweep."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

from trajectories.events import iso
from trajectories.sources import gitea
from trajectories.sources.base import RawDelivery

T0 = 1_795_946_700_000


class FakeForge:
    """A forge's REST side in memory, with a clock; it counts the calls it gets."""

    def __init__(self) -> None:
        self.now = T0
        self.pulls: dict[int, dict[str, Any]] = {}
        self.reviews: dict[int, list[dict[str, Any]]] = {}
        self.lines: dict[int, list[dict[str, Any]]] = {}
        self.refs: dict[str, str] = {}
        self.calls: list[str] = []
        self.broken = False
        self.cursor: Any = {"sweep": {"heads": {}}}

    def open(self, number: int, **more: Any) -> None:
        self.pulls[number] = {
            "number": number,
            "state": "open",
            "title": f"Pull {number}",
            "body": "",
            "merged": False,
            "mergeable": True,
            "draft": False,
            "user": {"id": 1, "login": "w0001"},
            "head": {"ref": f"b{number}", "sha": f"h{number}"},
            "base": {"ref": "main", "sha": "m0"},
            "created_at": iso(self.now),
        } | more
        self.touch(number)
        self.reviews.setdefault(number, [])

    def touch(self, number: int, **more: Any) -> None:
        self.pulls[number] |= {"updated_at": iso(self.now // 1000 * 1000), **more}

    def approve(self, number: int, id: int) -> dict[str, Any]:
        review = {"id": id, "user": {"id": 2, "login": "w0002"}, "state": "APPROVED", "body": "ok", "stale": False,
                  "dismissed": False, "submitted_at": iso(self.now)}  # fmt: skip
        self.reviews[number].append(review)
        self.touch(number)
        return review

    def answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v1/repos/team/calc")
        self.calls.append(path)
        if self.broken:
            return httpx.Response(502, text="bad gateway")
        page = int(request.url.params.get("page", 1))
        found = re.fullmatch(r"/(?:pulls|issues)/(\d+)(/\w+)?", path)
        if path == "/git/refs":
            return httpx.Response(
                200, json=[{"ref": f"refs/heads/{n}", "object": {"sha": s}} for n, s in self.refs.items()]
            )
        if path == "/pulls":
            rows: list[Any] = [pull for pull in self.pulls.values() if pull["state"] == "open"]
        elif path == "/issues":
            since = request.url.params.get("since", "")
            rows = [pull for pull in self.pulls.values() if pull["updated_at"] >= since]
        elif found and found[2] == "/reviews":
            rows = self.reviews[int(found[1])]
        elif found and found[2] == "/timeline":
            rows = self.lines.get(int(found[1]), [])
        elif found and not found[2]:
            return httpx.Response(200, json=self.pulls[int(found[1])])
        else:
            return httpx.Response(404, json={"message": path})
        return httpx.Response(200, json=rows[(page - 1) * 50 : page * 50])

    def sweep(self, seconds: float = 1.0, *, final: bool = False, **forge: Any) -> list[RawDelivery]:
        """Time passes, then one step."""
        self.now += int(seconds * 1000)
        self.calls.clear()
        endpoints = {
            "forge": {
                "url": "http://forge.invalid",
                "owner": "team",
                "repo": "calc",
                "sweep_s": 1,
                "conflict_s": 60,
                **forge,
            }
        }
        got = gitea.pull(endpoints, self.cursor, now=self.now, final=final)
        self.cursor = json.loads(json.dumps(got.cursor))
        return got.deliveries

    def settle(self) -> list[RawDelivery]:
        """Steps until nothing new is seen for some seconds."""
        found: list[RawDelivery] = []
        for _ in range(12):
            found += self.sweep()
        return found

"""Memory of a web process that shows a run: a server of its own, asked for everything the pages of the run ask for."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from runs import people
from runs.models import Run
from trajectories.bench.webs import web_process

PAGES = ("", "replay", "team", "behaviours", "summary")
GOAL_MB = 300


def memory(run: Run) -> dict[str, Any]:
    """`rss_mb` after each page of the run, its columns and its tiles were asked for once; `empty_mb` before; slowest page in seconds."""
    person = people.add(f"bench-{time.time_ns()}", "viewer", None)
    try:
        with web_process() as server, closing(server.signed_in(person)) as client:
            empty = _rss(server.pid)
            slowest = _look(client, run)
            told = {"empty_mb": empty, "rss_mb": _rss(server.pid), "goal_mb": GOAL_MB}
            return {**told, "slowest_page_s": slowest[0], "slowest_page": slowest[1], "goal_page_s": 1.0}
    finally:
        person.delete()


def _look(client: httpx.Client, run: Run) -> tuple[float, str]:
    names = [f"/runs/{run.slug}/{page}" for page in PAGES]
    base = f"/api/v1/runs/{run.slug}/timeline"
    told = client.get(base).json()
    pieces = [(f"segment={each['k']}", each["etag"]) for each in told["segments"]]
    pieces += [(f"tile={each['name']}", each["etag"]) for each in told["tiles"]]
    # By the addresses a browser uses: what they answer, the process keeps.
    names += [base, *(f"{base}?{piece}&generation={told['generation']}&etag={etag}" for piece, etag in pieces)]
    spent = []
    for _ in range(2):  # the second time tells what a page costs once its process has seen the run
        spent = []
        for name in names:
            began = time.perf_counter()
            answer = client.get(name)
            assert answer.status_code == 200, (name, answer.status_code)
            spent.append((round(time.perf_counter() - began, 3), name.rpartition(run.slug)[2]))
    return max(spent)


def _rss(pid: int) -> int:
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) // 1024

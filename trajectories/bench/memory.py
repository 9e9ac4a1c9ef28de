"""Memory of a web process that shows a run: a server of its own, asked for everything the pages of the run ask for."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from runs import people
from runs.models import Run
from trajectories.bench.webs import web_process
from trajectories.newest import opened

PAGES = ("", "replay", "team", "behaviours", "summary", "claims", "pulls")
GOAL_MB = 300


def memory(run: Run) -> dict[str, Any]:
    """`rss_mb` after each page of the run, its columns and its tiles were asked for twice; `empty_mb` before; slowest page in seconds.

    `first_s` and `again_s`: each page, the first and the second time that this process is asked for it; one claim, pull and worker: of those with the longest pages.
    """
    person = people.add(f"bench-{time.time_ns()}", "viewer", None)
    try:
        with web_process() as server, closing(server.signed_in(person)) as client:
            empty = _mb(server.pid, "VmRSS")
            names = [*PAGES, *longest(run)]
            first = _look(client, run, names)
            again = _look(client, run, names)
            told = {"empty_mb": empty, "rss_mb": _mb(server.pid, "VmRSS"), "goal_mb": GOAL_MB}
            told["of_which_files_mb"] = _mb(server.pid, "RssFile")  # the system may take these back
            pages = {"first_s": first, "again_s": again, "goal_page_s": 1.0}
            slowest = max(again, key=lambda name: again[name])
            return {**told, "slowest_page_s": again[slowest], "slowest_page": slowest, **pages}
    finally:
        person.delete()


def longest(run: Run) -> list[str]:
    """A claim that overlapped, the pull with the most evidence and the worker with the most pulls: addresses below the run's."""
    tables = opened(run.pk).tables
    pulls = tables["pulls"]
    claim = next((key for key, row in tables["claims"].items() if row["overlaps"]), next(iter(tables["claims"])))
    authors = Counter(row["author"] for row in pulls.values() if row["author"] is not None)
    pull = max(pulls, key=lambda key: pulls[key]["evidence_count"])
    return [f"claims/{claim}", f"pulls/{pull}", f"workers/{authors.most_common(1)[0][0]}"]


def _look(client: httpx.Client, run: Run, names: list[str]) -> dict[str, float]:
    """Seconds of each page; its columns and tiles are read beside, by the addresses a browser uses: what they answer, the process keeps."""
    base = f"/api/v1/runs/{run.slug}/timeline"
    told = client.get(base).json()
    pieces = [(f"segment={each['k']}", each["etag"]) for each in told["segments"]]
    pieces += [(f"tile={each['name']}", each["etag"]) for each in told["tiles"]]
    spent = {name or "live": _seconds(client, f"/runs/{run.slug}/{name}") for name in names}
    for address in (base, *(f"{base}?{what}&generation={told['generation']}&etag={etag}" for what, etag in pieces)):
        _seconds(client, address)
    return spent


def _seconds(client: httpx.Client, name: str) -> float:
    began = time.perf_counter()
    answer = client.get(name)
    assert answer.status_code == 200, (name, answer.status_code)
    return round(time.perf_counter() - began, 3)


def _mb(pid: int, what: str) -> int:
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith(what))
    return int(line.split()[1]) // 1024

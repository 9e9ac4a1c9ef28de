"""Memory of a web process that shows a run: a server of its own, asked for everything the pages of the run ask for."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from runs import people
from runs.models import Run, SignInLink
from trajectories.models import Segment, Stream, Tile

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("", "replay", "team", "behaviours", "summary")
GOAL_MB = 300
START = "import uvicorn; uvicorn.run('agensh_web.asgi:application', port={port}, lifespan='off', log_level='error', ws_per_message_deflate=False)"


def memory(run: Run) -> dict[str, Any]:
    """`rss_mb` after each page of the run, its columns and its tiles were asked for once; `empty_mb` before; slowest page in seconds."""
    person = people.add(f"bench-{time.time_ns()}", "viewer", None)
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "agensh_web.settings"}
    process = subprocess.Popen([sys.executable, "-c", START.format(port=port)], cwd=ROOT, env=environment)
    try:
        with httpx.Client(base_url=url, timeout=120, follow_redirects=True) as client:
            _await(client)
            client.get(f"/sign-in/link/{SignInLink.mint(person)}")
            empty = _rss(process.pid)
            slowest = _look(client, run)
            told = {"empty_mb": empty, "rss_mb": _rss(process.pid), "goal_mb": GOAL_MB}
            return {**told, "slowest_page_s": slowest[0], "slowest_page": slowest[1], "goal_page_s": 1.0}
    finally:
        process.terminate()
        process.wait(20)
        person.delete()


def _look(client: httpx.Client, run: Run) -> tuple[float, str]:
    generation = Stream.of(run.pk).generation
    names = [f"/runs/{run.slug}/{page}" for page in PAGES]
    names += [f"/api/v1/runs/{run.slug}/timeline"]
    segments = Segment.objects.filter(run=run, generation=generation).values_list("k", flat=True)
    tiles = Tile.objects.filter(run=run, generation=generation).values_list("name", flat=True)
    names += [f"/api/v1/runs/{run.slug}/timeline?segment={k}" for k in segments]
    names += [f"/api/v1/runs/{run.slug}/timeline?tile={name}" for name in tiles]
    spent = []
    for _ in range(2):  # the second time tells what a page costs once its process has seen the run
        spent = []
        for name in names:
            began = time.perf_counter()
            answer = client.get(name)
            assert answer.status_code == 200, (name, answer.status_code)
            spent.append((round(time.perf_counter() - began, 3), name.rpartition(run.slug)[2]))
    return max(spent)


def _await(client: httpx.Client) -> None:
    for _ in range(600):
        try:
            client.get("/health/live")
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")


def _rss(pid: int) -> int:
    line = next(each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

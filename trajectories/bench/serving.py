"""Serving a settled run's columns over HTTP by a web process of its own: cold, to another person, to who has them, and to a browser that opens the run again."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from runs import people
from runs.models import Run, SignInLink
from trajectories.bench.chromium import Missing, chromium
from trajectories.bench.entering import by_page
from trajectories.bench.webs import Served, web_process
from trajectories.bench.wire import cursor_s

TIMES, READY_MS = 5, 180_000
#: Each address the web process is asked for becomes a line of a file.
HEARING = """
import os
from agensh_web.shelf_http import ShelfHttp
heard, ask = open(os.environ["BENCH_HEARD"], "a", buffering=1), ShelfHttp.on_headers_complete
def hear(self):
    heard.write(self.url.decode() + chr(10))
    ask(self)
ShelfHttp.on_headers_complete = hear
"""


def serving(run: Run) -> dict[str, Any]:
    """ms by the clock and ms of the server's processor time for the manifest and every segment, whoever asks.

    `cold`: the first reading by a process that has served nothing of the run. `warm_other`: somebody else on that process, manifest and columns;
    `_columns`: the columns alone; `warm_etag_columns`: who has them and asks whether they changed. `warm_browser`: a Chromium that opens the replay
    again: what it asks the server for. `ratio_cold` and `ratio_cursor` are to a binary cursor over as many rows, `ratio_ms` and `ratio_cpu_ms` to our own cold.
    """
    persons = [people.add(f"bench-{time.time_ns()}-{k}", "viewer", None) for k in range(2)]
    with tempfile.NamedTemporaryFile(prefix="agensh-bench-") as file:
        os.environ["BENCH_HEARD"] = file.name
        try:
            with (
                web_process(HEARING) as server,
                closing(server.signed_in(persons[0])) as ann,
                closing(server.signed_in(persons[1])) as bob,
            ):
                base = f"/api/v1/runs/{run.slug}/timeline"
                names, cold = _spent(server, lambda: _read(ann, base, {}))
                warm = [_spent(server, lambda: _read(bob, base, {}))[1] for _ in range(TIMES)]
                columns = [_spent(server, lambda: _pieces(bob, names, {}))[1] for _ in range(TIMES)]
                known = [_spent(server, lambda: _pieces(bob, names, names))[1] for _ in range(TIMES)]
                told: dict[str, Any] = {
                    "cold": cold,
                    "warm_other": _best(warm),
                    "warm_other_columns": _best(columns),
                    "warm_etag_columns": _best(known),
                }
                told |= _browser(server, run, persons[0], Path(file.name))
        finally:
            for person in persons:
                person.delete()
    rows = sum(run.segments.filter(etag__in=[tag.strip('"') for tag in names.values()]).values_list("rows", flat=True))
    ceiling = cursor_s(rows) * 1000
    told |= {"segments": len(names), "rows": rows, "cursor_ms": round(ceiling, 1)}
    told |= {"ratio_cold": round(cold["ms"] / ceiling, 3), "goal_cold": 1.3, "goal_warm": 0.05}
    for name in ("warm_other", "warm_other_columns", "warm_etag_columns"):
        told[name] |= {f"ratio_{of}": round(told[name][of] / cold[of], 3) for of in ("ms", "cpu_ms")}
        told[name]["ratio_cursor"] = round(told[name]["ms"] / ceiling, 4)
    return told


def _read(client: httpx.Client, base: str, tags: dict[str, str]) -> dict[str, str]:
    """Addresses of the segments with their ETags, from the manifest, and each of them read."""
    manifest = client.get(base).json()
    place = f"{base}?generation={manifest['generation']}"
    return _pieces(
        client, {f"{place}&segment={each['k']}&etag={each['etag']}": "" for each in manifest["segments"]}, tags
    )


def _pieces(client: httpx.Client, addresses: Iterable[str], tags: dict[str, str]) -> dict[str, str]:
    """Bytes as they come: unpacking them is the browser's."""
    found = {}
    for address in addresses:
        headers = {"If-None-Match": tags[address]} if address in tags else {}
        with client.stream("GET", address, headers=headers) as answer:
            assert answer.status_code == (304 if address in tags else 200), answer.status_code
            assert (sum(map(len, answer.iter_raw())) == 0) == (address in tags)
            found[address] = answer.headers["ETag"]
    return found


def _browser(server: Served, run: Run, person: Any, heard: Path) -> dict[str, Any]:
    """A Chromium opens the replay twice: what of the second opening reached the server beside files."""
    link = (
        f"{server.url}/sign-in/link/{SignInLink.mint(person)}"  # before the browser: the database is not for its thread
    )
    try:
        with chromium() as browser:
            page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
            by_page(page, link)
            for _ in range(2):
                page.goto("about:blank")
                heard.write_text("")
                page.goto(f"{server.url}/runs/{run.slug}/replay")
                page.wait_for_function(
                    "() => performance.getEntriesByName('replay-painted').length > 0", timeout=READY_MS
                )
                page.wait_for_timeout(1_500)
    except Missing as fault:
        return {"warm_browser": {"measured": False, "why": str(fault)}}
    asked = [line for line in heard.read_text().splitlines() if not line.startswith("/static/")]
    columns = sum("segment=" in line or "tile=" in line for line in asked)
    return {
        "warm_browser": {
            "columns_and_tiles_asked_for": columns,
            "asked_for": [line.partition(run.slug)[2] for line in asked],
        }
    }


def _spent(server: Served, work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    began, cpu = time.perf_counter(), _cpu_ms(server.pid)
    found = work()
    spent = {"ms": (time.perf_counter() - began) * 1000, "cpu_ms": _cpu_ms(server.pid) - cpu}
    return found, {name: round(value, 2) for name, value in spent.items()}


def _cpu_ms(pid: int) -> float:
    """Of a process so far, threads that have ended included, to the microsecond: its clock by the number that Linux gives it. `/proc/PID/stat` counts in hundredths of a second."""
    return time.clock_gettime(~pid << 3 | 2) * 1000


def _best(spent: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(each[name] for each in spent) for name in spent[0]}

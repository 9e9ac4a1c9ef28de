"""Lanes of a trace: slices of one lane must nest, so what would cross another goes to a further lane of the same worker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

Record = dict[str, Any]

# "Processes": workers' lanes, their model requests, claims and pulls. Above every worker's number: Perfetto takes a
# thread with the number of a process for that process's main thread.
TEAM, REQUESTS, WORK = 100_001, 100_002, 100_003
PROCESSES = {TEAM: "Workers", REQUESTS: "Model requests", WORK: "Claims and pulls"}
FURTHER = 200_000  # the number of a worker's lane, for each further one: above every process
BESIDE = 64  # places in the order of lanes that one worker has


class Lanes:
    """Who is drawn where. Slices of a process and worker come in the order of their ends, or of their beginnings: never mixed."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self._open: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
        self._ended: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._named: set[tuple[int, int]] = set()

    def name(self, process: int, worker: int, further: int = 0) -> Iterator[Record]:
        """What names a lane and gives it its place; nothing the second time."""
        lane = {"ph": "M", "pid": process, "tid": worker + further * FURTHER}
        if (process, lane["tid"]) in self._named:
            return
        self._named.add((process, lane["tid"]))
        known = self._names.get(worker, "Team" if not worker else str(worker))
        name = f"{known} ({further + 1})" if further else known
        yield {**lane, "name": "thread_name", "args": {"name": name}}
        place = worker * BESIDE + min(further, BESIDE - 1)
        yield {**lane, "name": "thread_sort_index", "args": {"sort_index": place}}

    def as_ended(self, process: int, worker: int, begin: int, end: int, least: int = 0) -> int:
        """The lane, from `least` on, in which nothing that ended before crosses this. Not asked for what holds others, such as a turn."""
        ends = self._ended[process, worker]
        for further in range(least, len(ends)):
            if ends[further] <= begin:
                ends[further] = max(end, ends[further])
                return further
        ends.extend([0] * (max(least, len(ends)) + 1 - len(ends)))
        ends[-1] = end
        return len(ends) - 1

    def as_begun(self, process: int, worker: int, begin: int, end: int) -> int:
        """The lane in which this stands beside or inside what began before it."""
        lanes = self._open[process, worker]
        for further, held in enumerate(lanes):
            while held and held[-1] <= begin:
                held.pop()
            if not held or end <= held[-1]:
                held.append(end)
                return further
        lanes.append([end])
        return len(lanes) - 1

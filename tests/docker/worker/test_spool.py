from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from worker.config import Config, load
from worker.cut import HEAD, LIMIT, cut
from worker.ship import Shipper
from worker.spool import Reader, Spool, acknowledge, acknowledged, lives, mend


def test_items_are_numbered_without_gaps_over_a_reopening(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 1)
    assert [spool.append("loop", {"kind": "x"}, 1, 2), spool.append("noise", "nul \0 \ud800")] == [1, 2]
    spool.close()
    with (tmp_path / "1.jsonl").open("ab") as torn:
        torn.write(b'{"n":3,"at":"20')
    spool = Spool(tmp_path, 1)
    assert spool.append("noise", "after the crash") == 3
    spool.close()
    items = [json.loads(line) for line in (tmp_path / "1.jsonl").read_text().splitlines()]
    assert [item["n"] for item in items] == [1, 2, 3]
    assert (items[0]["session"], items[0]["turn"], items[1]["msg"]) == (1, 2, "nul \0 \ud800")


def test_a_reader_gives_pages_of_whole_lines_and_begins_behind_what_is_acknowledged(tmp_path: Path) -> None:
    spool = Spool(tmp_path, 3)
    for n in range(10):
        spool.append("noise", f"line {n}")
    spool.flush()
    acknowledge(tmp_path, 3, 4)
    reader = Reader(tmp_path, 3)
    page = reader.page(most=3, most_bytes=1 << 20)
    assert [json.loads(line)["n"] for line in page] == [5, 6, 7]
    assert reader.page(3, 1 << 20) == page
    assert len(reader.page(10, most_bytes=1)) == 1
    reader.done(7)
    spool.append("noise", "one more")
    spool.flush()
    assert [json.loads(line)["n"] for line in reader.page(10, 1 << 20)] == [8, 9, 10, 11]
    assert acknowledged(tmp_path, 3) == 7 and lives(tmp_path) == [3]
    spool.close()


def test_mending_a_missing_or_empty_file_counts_nothing(tmp_path: Path) -> None:
    assert mend(tmp_path / "none") == 0
    (tmp_path / "empty").touch()
    assert mend(tmp_path / "empty") == 0


def test_a_string_over_64_kib_leaves_the_stream_whole_and_the_rest_stays() -> None:
    kept: dict[str, bytes] = {}
    long, wide = "x" * (LIMIT + 1), "é" * (LIMIT // 2 + 1)
    small = cut({"a": [long, "short"], "b": {"c": wide}, "d": "y" * LIMIT}, kept.__setitem__)
    mark = small["a"][0]["$cut"]
    assert mark == {"head": "x" * HEAD, "bytes": LIMIT + 1, "sha256": hashlib.sha256(long.encode()).hexdigest()}
    assert small["b"]["c"]["$cut"]["bytes"] == LIMIT + 2
    assert small["a"][1] == "short" and small["d"] == "y" * LIMIT
    assert kept[mark["sha256"]] == long.encode() and len(kept) == 2


def test_a_message_of_many_long_strings_is_cut_as_a_whole_and_a_bottomless_one_is_dropped() -> None:
    kept: dict[str, bytes] = {}
    whole = cut(["x" * LIMIT] * 100, kept.__setitem__)
    assert set(whole) == {"$cut"} and len(kept[whole["$cut"]["sha256"]]) > 100 * LIMIT
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert cut(deep, kept.__setitem__)["$cut"]["reason"] == "nested too deep"
    while deep:  # taken apart by hand: freeing it in one go would be the recursion again
        deep = deep.pop()


class Door:
    """An ingest that answers from a list of (status, body, headers); after that it takes everything."""

    def __init__(self, *answers: tuple[int, dict[str, Any], dict[str, str]]) -> None:
        self.answers, self.batches, self.blobs = list(answers), [], []  # type: ignore[var-annotated]
        self.app = Starlette(
            routes=[
                Route("/ingest/demo/acp", self.acp, methods=["POST"]),
                Route("/ingest/demo/blobs/{digest}", self.blob, methods=["PUT"]),
            ]
        )

    async def acp(self, request: Request) -> Response:
        batch = json.loads(gzip.decompress(await request.body()))
        self.batches.append([batch["life"], [item["n"] for item in batch["items"]]])
        if self.answers:
            status, body, headers = self.answers.pop(0)
            return JSONResponse(body, status, headers)
        return JSONResponse({"acknowledged": batch["items"][-1]["n"], "results": []})

    async def blob(self, request: Request) -> Response:
        self.blobs.append((request.path_params["digest"], len(await request.body())))
        return Response(status_code=204)


def worker(tmp_path: Path, life: int = 1) -> Config:
    file = {"run": "demo", "worker": 1, "life": life, "name": "w0001", "command": ["true"]}
    file |= {"endpoints": {"ingest": {"url": "http://app"}}}
    (tmp_path / "worker.json").write_text(json.dumps(file))
    return load(tmp_path / "worker.json")


def fill(config: Config, life: int, items: int) -> None:
    spool = Spool(config.spool_dir, life)
    for n in range(items):
        spool.append("noise", f"line {n}")
    spool.close()


async def drain(config: Config, door: Door) -> tuple[bool, Shipper]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door.app)) as http:
        shipper = Shipper(config, http)
        return await shipper.drain(10), shipper


async def test_a_batch_too_big_is_halved_until_it_goes_through(tmp_path: Path) -> None:
    config, door = worker(tmp_path), Door((413, {}, {}), (413, {}, {}))
    fill(config, 1, 8)
    assert (await drain(config, door))[0]
    assert [batch[1] for batch in door.batches] == [list(range(1, 9)), [1, 2, 3, 4], [1, 2], [3, 4, 5, 6, 7, 8]]


async def test_one_item_that_is_too_big_alone_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    config, door = worker(tmp_path), Door((413, {}, {}), (413, {}, {}))
    fill(config, 1, 2)
    assert (await drain(config, door))[0]
    assert door.batches[-1] == [1, [2]]


async def test_a_refused_item_is_passed_over_and_a_partly_durable_batch_is_sent_on(tmp_path: Path) -> None:
    refused = {"acknowledged": 2, "results": [{"n": 3, "status": "refused", "reason": "too deep"}]}
    config, door = worker(tmp_path), Door((200, refused, {}))
    fill(config, 1, 5)
    assert (await drain(config, door))[0]
    assert [batch[1] for batch in door.batches] == [[1, 2, 3, 4, 5], [4, 5]]


@pytest.mark.parametrize("status", [401, 409])
async def test_leftovers_of_an_older_life_that_the_app_refuses_do_not_hold_up_the_present_one(
    tmp_path: Path, status: int
) -> None:
    config, door = worker(tmp_path, life=2), Door((status, {}, {}))
    fill(config, 1, 3)
    fill(config, 2, 3)
    assert not (await drain(config, door))[0]  # and the salvage is told that something is left
    assert [batch[0] for batch in door.batches] == [1, 2]


async def test_the_app_may_ask_for_a_pause(tmp_path: Path) -> None:
    config, door = worker(tmp_path), Door((429, {}, {"Retry-After": "0.1"}))
    fill(config, 1, 1)
    assert (await drain(config, door))[0] and len(door.batches) == 2


async def test_a_blob_is_sent_once_and_before_the_item_that_names_it(tmp_path: Path) -> None:
    config, door = worker(tmp_path), Door((503, {}, {}))
    spool = Spool(config.spool_dir, 1)
    spool.append("from_agent", {"text": "x" * 100_000})
    spool.close()
    assert (await drain(config, door))[0]
    assert [size for _, size in door.blobs] == [100_000] and len(door.batches) == 2


async def test_an_answer_that_is_none_is_no_acknowledgement(tmp_path: Path) -> None:
    config, door = worker(tmp_path), Door((200, {"hello": 1}, {}), (200, {"acknowledged": 0}, {}))
    fill(config, 1, 3)
    assert (await drain(config, door))[0]
    assert len(door.batches) == 3 and acknowledged(config.spool_dir, 1) == 3

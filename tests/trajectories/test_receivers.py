"""The ingest doors: a worker's token decides who speaks; every item gets a clear answer; the rest is stored."""

from __future__ import annotations

import gzip
import hashlib
import json
from typing import Any

import pytest
import zstandard
from django.test import Client

from runs.models import Run, Worker, WorkerToken
from tests.trajectories.told import new_run
from trajectories.events import iso
from trajectories.evidence import evidence
from trajectories.ingest.acpdoor import BATCH_BYTES
from trajectories.models import Blob, Delivery, EventRow, Feed, now_ms
from trajectories.models.packing import unpack
from trajectories.models.reading import arrived

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    made = new_run("door")
    Worker.objects.create(run=made, n=17, name="w0017", life=2, harness="mini", model="scripted")
    return made


@pytest.fixture
def token(run: Run) -> str:
    return WorkerToken.mint(run, 17, 2)


def item(n: int, msg: Any = None, **more: Any) -> dict[str, Any]:
    said = {"kind": "nudge.sent"} if msg is None else msg
    return {"n": n, "at": iso(1_800_000_000_000 + n), "dir": "loop", "session": 1, "turn": 1, "msg": said, **more}


def batch(*items: Any, life: int = 2, worker: int = 17, sent_at: int | None = None) -> bytes:
    body = {
        "worker": worker,
        "life": life,
        "sent_at": iso(now_ms() if sent_at is None else sent_at),
        "items": list(items),
    }
    return json.dumps(body).encode()


def ship(token: str, body: bytes, run: str = "door", **headers: str) -> Any:
    auth = {"Authorization": f"Bearer {token}", **headers}
    return Client().post(f"/ingest/{run}/acp", body, content_type="application/json", headers=auth)


def stored_numbers(run: Run) -> list[int]:
    bodies = [json.loads(unpack(row.body)) for row in Delivery.objects.filter(run=run, source="acp").order_by("seq")]
    return [item["n"] for body in bodies for item in body["items"]]


def test_a_batch_is_stored_and_acknowledged(run: Run, token: str) -> None:
    answer = ship(token, batch(item(1), item(2)), **{"X-Agensh-Harness": "mini/1"})
    assert (answer.status_code, answer.json()) == (200, {"acknowledged": 2, "results": []})
    row = Delivery.objects.get()
    assert (row.delivery, row.seq, json.loads(row.headers)) == ("17-2-1", 1, {"X-Agensh-Harness": "mini/1"})
    assert list(EventRow.objects.order_by("n").values_list("key", "worker", "kind")) == [
        ("17-2-1", 17, "nudge.sent"),
        ("17-2-2", 17, "nudge.sent"),
    ]
    assert Feed.objects.get(source="acp").polled_at is not None


def test_items_are_deduped_however_batches_are_cut(run: Run, token: str) -> None:
    assert ship(token, batch(item(1), item(2))).json()["acknowledged"] == 2
    assert ship(token, batch(item(5), item(6))).json()["acknowledged"] == 2
    assert ship(token, batch(*map(item, range(1, 9)))).json()["acknowledged"] == 8
    assert ship(token, batch(*map(item, range(1, 9)))).json()["acknowledged"] == 8
    assert sorted(stored_numbers(run)) == list(range(1, 9))
    assert EventRow.objects.count() == 8
    assert set(Delivery.objects.values_list("delivery", flat=True)) == {"17-2-1", "17-2-5", "17-2-3"}


def test_evidence_finds_the_batch_that_holds_an_item(run: Run, token: str) -> None:
    ship(token, batch(*map(item, range(1, 6))))
    found = evidence(run.pk, "acp", "17-2-4")
    assert found is not None
    assert found["delivery"]["id"] == "17-2-1"
    assert evidence(run.pk, "acp", "17-2-9") is None


def test_a_batch_of_which_all_is_new_and_sound_is_stored_as_it_came(run: Run, token: str) -> None:
    told = batch(*map(item, range(1, 901)))
    assert ship(token, told).json()["acknowledged"] == 900
    assert [unpack(row.body) for row in Delivery.objects.filter(run=run)] == [told]
    assert stored_numbers(run) == list(range(1, 901))
    assert ship(token, told).json()["acknowledged"] == 900
    assert EventRow.objects.count() == 900


def test_a_long_batch_that_has_to_be_cut_is_stored_in_pieces(run: Run, token: str) -> None:
    ship(token, batch(item(7)))
    assert ship(token, batch(*map(item, range(1, 901)))).json()["acknowledged"] == 900
    assert Delivery.objects.count() == 6
    assert sorted(stored_numbers(run)) == list(range(1, 901))


HOSTILE = [
    (
        b'{"n": 2, "at": "2026-01-01T00:00:00Z", "dir": "loop", "msg": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "nested",
    ),
    (b'{"n": 2, "at": "2026-01-01T00:00:00Z", "dir": "loop", "msg": "\xff"}', "UTF-8"),
    (b'{"n": 2, "at": "2026-01-01T00:00:00Z", "dir": "loop", "msg": nothing}', "not JSON"),
    (b'{"n": 2, "at": "yesterday", "dir": "loop", "msg": {}}', "at must be"),
    (b'{"n": "2", "at": "2026-01-01T00:00:00Z", "dir": "loop", "msg": {}}', "n must be"),
    (b'{"n": 123456789012345678901234567890, "at": "2026-01-01T00:00:00Z", "dir": "loop"}', "n must be"),
    (b'{"n": 2, "at": "2026-01-01T00:00:00Z", "dir": "sideways", "msg": {}}', "dir must be"),
    (b"7", "must be an object"),
]


@pytest.mark.parametrize(("bad", "reason"), HOSTILE, ids=[reason for _, reason in HOSTILE])
def test_one_bad_item_costs_itself_only(run: Run, token: str, bad: bytes, reason: str) -> None:
    whole = batch(item(1), item(3)).replace(b'}, {"n": 3', b"}, " + bad + b', {"n": 3')
    assert bad in whole
    answer = ship(token, whole)
    assert answer.status_code == 200
    (refused,) = answer.json()["results"]
    assert refused["status"] == "refused"
    assert reason in refused["reason"]
    assert stored_numbers(run) == [1, 3]


def test_hostile_strings_inside_an_item_are_stored_and_read_safely(run: Run, token: str) -> None:
    update = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "@", "kind": "other", "status": "pending"}
    msg = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
    raw = batch(item(1, msg, dir="from_agent")).replace(b'"@"', rb'"a\u0000b\ud800 \u001b[31m"')
    assert ship(token, raw).json() == {"acknowledged": 1, "results": []}
    ((_, event),) = arrived(run.pk, 0)
    assert "a\u2400b\ufffd" in event.fields["title"]
    assert rb"\u0000" in unpack(Delivery.objects.get().body)


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[]", b"{}", b'{"items": 3}', b'{"items": [}', b"\xff\xfe", b"[" * 100_000, b'{"items": ["']
)
def test_what_is_no_batch_is_refused_with_a_reason(run: Run, token: str, body: bytes) -> None:
    answer = ship(token, body)
    assert answer.status_code == 400
    assert "not a batch" in answer.json()["detail"]
    assert not Delivery.objects.exists()


def test_compressed_batches_are_inflated_within_bounds(run: Run, token: str) -> None:
    assert ship(token, gzip.compress(batch(item(1))), **{"Content-Encoding": "gzip"}).status_code == 200
    packed = zstandard.ZstdCompressor().compress(batch(item(2)))
    assert ship(token, packed, **{"Content-Encoding": "zstd"}).json()["acknowledged"] == 2
    bomb = gzip.compress(b" " * (BATCH_BYTES + 1))
    assert ship(token, bomb, **{"Content-Encoding": "gzip"}).status_code == 413
    assert ship(token, b"no gzip", **{"Content-Encoding": "gzip"}).status_code == 400
    assert ship(token, b"", **{"Content-Encoding": "br"}).status_code == 400


def test_ten_megabytes_are_too_big_for_a_batch(run: Run, token: str) -> None:
    assert ship(token, batch(item(1, "x" * 10_000_000))).status_code == 413


def test_too_many_items_are_refused(run: Run, token: str) -> None:
    answer = ship(token, batch(*[item(n) for n in range(1, 2_002)]))
    assert (answer.status_code, "at most 2000" in answer.json()["detail"]) == (400, True)


def test_a_token_opens_its_own_run_worker_and_lives_only(run: Run, token: str) -> None:
    new_run("elsewhere")
    assert ship("agw_wrong", batch(item(1))).status_code == 401
    assert ship("", batch(item(1))).status_code == 401
    assert ship(token, batch(item(1)), run="elsewhere").status_code == 401
    assert ship(token, batch(item(1)), run="nowhere").status_code == 401
    assert ship(token, batch(item(1), worker=18)).status_code == 403
    assert ship(token, batch(item(1), life=3)).status_code == 409
    assert not Delivery.objects.exists()


def test_an_older_life_may_still_deliver(run: Run, token: str) -> None:
    assert ship(token, batch(item(1), life=1)).json() == {"acknowledged": 1, "results": [], "older_life": True}
    assert Delivery.objects.get().delivery == "17-1-1"


def test_a_clock_that_is_off_is_corrected_once(run: Run, token: str) -> None:
    hour = 3_600_000
    first = item(1) | {"at": iso(now_ms() - hour)}
    ship(token, batch(first, sent_at=now_ms() - hour))
    row = Delivery.objects.get()
    assert abs(row.skew_ms - hour) < 5_000
    assert abs(row.at - now_ms()) < 5_000
    assert EventRow.objects.get().at == row.at


def test_lateness_is_no_skew(run: Run, token: str) -> None:
    late = item(1) | {"at": iso(now_ms() - 3_600_000)}
    ship(token, batch(late))
    assert Delivery.objects.get().skew_ms == 0


def test_cut_strings_are_kept_by_their_hash(run: Run, token: str) -> None:
    body, headers = b"long " * 20_000, {"Authorization": f"Bearer {token}"}
    sha = hashlib.sha256(body).hexdigest()
    put = lambda name, data: Client().put(f"/ingest/door/blobs/{name}", data, headers=headers)  # noqa: E731
    assert [put(sha, body).status_code for _ in range(2)] == [201, 200]
    assert put("0" * 64, body).status_code == 422
    assert unpack(Blob.objects.get().body) == body

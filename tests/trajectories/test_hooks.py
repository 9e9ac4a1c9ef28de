"""The forge's webhook: the signature holds over the raw bytes, or nothing happens."""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from runs.models import Run
from tests.trajectories.told import new_run
from trajectories.models import Delivery
from trajectories.models.packing import unpack

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    return new_run("door")


def hook(run: str, secret: bytes, body: bytes, signature: str | None = None, delivery: str = "abc-1") -> Any:
    signed = hmac.new(secret, body, hashlib.sha256).hexdigest() if signature is None else signature
    headers = {"X-Gitea-Signature": signed, "X-Gitea-Event-Type": "push", "X-Gitea-Delivery": delivery}
    return Client().post(f"/ingest/{run}/gitea", body, content_type="application/json", headers=headers)


@pytest.fixture
def secret(run: Run, tmp_path: Path) -> bytes:
    (tmp_path / "secret").write_text("tell nobody\n")
    run.endpoints = {"forge": {"hook_secret": {"token_file": str(tmp_path / "secret")}}}
    run.save()
    return b"tell nobody"


def test_a_signed_hook_is_stored_where_no_outbox_can_be_read(run: Run, secret: bytes) -> None:
    body = b'{"ref": "refs/heads/main", "odd": "\\u0000"}'
    assert hook("door", secret, body).status_code == 202
    assert hook("door", secret, body).json()["stored"] is False
    row = Delivery.objects.get()
    assert (row.delivery, row.seq, unpack(row.body)) == ("abc-1", 1, body)


def test_a_signed_hook_is_a_wake_up_where_the_outbox_is_read(run: Run, secret: bytes) -> None:
    run.endpoints["forge"]["outbox"] = "sqlite:////nowhere/forge.db"
    run.save()
    assert hook("door", secret, b"{}").status_code == 202
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("signature", ["", "0" * 64, "not hex", "\u00e9"])
def test_a_hook_without_a_right_signature_is_refused(run: Run, secret: bytes, signature: str) -> None:
    assert hook("door", secret, b"{}", signature).status_code == 401
    assert hook("nowhere", secret, b"{}").status_code == 401


def test_a_run_without_a_secret_takes_no_hook(run: Run) -> None:
    assert hook("door", b"", b"{}").status_code == 401


def test_hostile_hooks_are_kept_with_the_reason(run: Run, secret: bytes) -> None:
    for k, body in enumerate([b"[" * 100_000 + b"]" * 100_000, b'"\xff"', b"junk", b"[NaN]"]):
        assert hook("door", secret, body, delivery=f"abc-{k}").json() == {"stored": True, "skipped": True}
    assert hook("door", secret, b"{}", delivery="a/b").status_code == 400
    assert hook("door", secret, b'"' + b"x" * (17 << 20) + b'"').status_code == 413
    assert Delivery.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_hooks_that_come_at_once_each_get_a_number_of_their_own(run: Run, secret: bytes) -> None:
    hands = 6
    together = threading.Barrier(hands)

    def knock(k: int) -> None:
        together.wait(20)
        try:
            while True:
                try:
                    assert hook("door", secret, b'{"k": %d}' % k, delivery=f"abc-{k}").status_code == 202
                    return
                except OperationalError:  # SQLite in memory, as in tests, refuses where a file makes others wait
                    time.sleep(0.01)
        finally:
            connection.close()

    with ThreadPoolExecutor(hands) as pool:
        list(pool.map(knock, range(hands)))
    assert sorted(Delivery.objects.values_list("seq", flat=True)) == list(range(1, hands + 1))

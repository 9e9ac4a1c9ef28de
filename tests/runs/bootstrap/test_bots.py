"""Bots of a team: made a few at a time, cut off anywhere and done again, and then each is there once."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, check_limits, ensure_channel
from runs.bootstrap.client import BootstrapError
from runs.bootstrap.secrets import Secrets
from tests.docker.standins.service import PASSWORD, Service, running

NAMES = [f"w{n:04d}" for n in range(1, 13)]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running("standins.chat", tmp_path / "chat") as found:
        yield found


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    kept = Secrets(tmp_path / "secrets")
    kept.keep("chat_admin", PASSWORD)
    return kept


class Cut(Exception):
    """The launch ends here."""


def after(most: int) -> object:
    def progress(done: int, of: int) -> None:
        if done >= most:
            raise Cut

    return progress


@pytest.mark.parametrize("most", [1, 7, 12])
def test_a_bootstrap_that_was_cut_off_goes_on_from_there(service: Service, secrets: Secrets, most: int) -> None:
    chat = Chat(service.url, "agensh")
    rooms = ensure_channel(chat, secrets)
    with pytest.raises(Cut):
        ensure_bots(chat, secrets, NAMES, rooms, after(most))  # type: ignore[arg-type]
    told: list[tuple[int, int]] = []
    bots = ensure_bots(chat, secrets, NAMES, rooms, lambda done, of: told.append((done, of)))
    assert (12, 12) in told
    assert sorted(bots) == NAMES
    assert ensure_channel(chat, secrets) == rooms
    again = ensure_bots(chat, secrets, NAMES, rooms)
    assert {name: bot["id"] for name, bot in again.items()} == {name: bot["id"] for name, bot in bots.items()}
    assert len({secrets.get(f"{name}.chat") for name in NAMES}) == 12
    assert joins(service, rooms[1]) == Counter(dict.fromkeys(NAMES, 1)), "each joined the channel once"


def joins(service: Service, channel: str) -> Counter[str]:
    asked = "SELECT message FROM posts WHERE type = 'system_add_to_channel' AND channelid = ?"
    with sqlite3.connect(f"file:{service.data_dir / 'chat.db'}?mode=ro", uri=True) as db:
        said = db.execute(asked, (channel,)).fetchall()
    return Counter(text.split()[0] for (text,) in said)


def test_bots_are_not_counted_as_people(service: Service, secrets: Secrets) -> None:
    chat = Chat(service.url, "agensh")
    rooms = ensure_channel(chat, secrets)
    before = check_limits(chat, secrets)["activeUserCount"]
    ensure_bots(chat, secrets, NAMES, rooms)
    assert check_limits(chat, secrets)["activeUserCount"] == before == 1


def test_a_wrong_password_makes_no_second_administrator(service: Service, tmp_path: Path) -> None:
    stranger = Secrets(tmp_path / "other")
    with pytest.raises(BootstrapError):
        ensure_channel(Chat(service.url, "agensh"), stranger)

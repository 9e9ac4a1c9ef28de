"""A stand-in as a process: it stops quickly, comes back where it was, and loses nothing by a kill."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.docker.standins.service import Service, running
from tests.docker.standins.team import ChatTeam, ForgeTeam, said, until


@pytest.mark.parametrize(
    ("module", "health"), [("standins.forge", "/api/healthz"), ("standins.chat", "/api/v4/system/ping")]
)
def test_it_answers_stops_and_returns_to_its_port(tmp_path: Path, module: str, health: str) -> None:
    with running(module, tmp_path) as service:
        before = service.url
        assert httpx.get(before + health).status_code == 200
        assert service.stop() == 0
        service.start()
        assert service.url == before
        assert httpx.get(before + health).status_code == 200


def test_a_killed_forge_knows_everything_again(tmp_path: Path) -> None:
    with running("standins.forge", tmp_path) as service:
        team = ForgeTeam(service, tmp_path / "clones", workers=1)
        team.hook("http://127.0.0.1:9/nobody")
        team.commit("w0001", "w0001/n1", {"a.txt": "x\n"}, "Add")
        number = team.pull("w0001", "w0001/n1")
        _again(service)
        until(lambda: team.see(number)["mergeable"], True)
        team.merge("w0001", number)
        team.commit("w0001", "w0001/n2", {"b.txt": "x\n"}, "More")
        for client in team.api.values():
            client.close()


def test_a_push_is_told_once_by_a_forge_that_was_killed_after_taking_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running("standins.forge", tmp_path) as service:
        team = ForgeTeam(service, tmp_path / "clones", workers=1)
        team.hook("http://127.0.0.1:9/nobody")
        with monkeypatch.context() as hasty:
            hasty.setattr(team, "settled", lambda: None)
            team.commit("w0001", "w0001/n1", {"a.txt": "x\n"}, "Add")
        _again(service)
        team.settled()
        with closing(sqlite3.connect(service.data_dir / "forge.db")) as db:
            assert db.execute("SELECT event_type FROM hook_task ORDER BY id").fetchall() == [("create",), ("push",)]
        for client in team.api.values():
            client.close()


def test_a_killed_chat_knows_everything_again(tmp_path: Path) -> None:
    with running("standins.chat", tmp_path) as service:
        team = ChatTeam(service, workers=1)
        post = team.post("w0001", "still here?")["id"]
        _again(service)
        assert said(team.api["w0001"].get(f"/posts/{post}"))["message"] == "still here?"
        for client in team.api.values():
            client.close()


def _again(service: Service) -> None:
    url = service.url
    service.kill()
    service.start()
    assert service.url == url

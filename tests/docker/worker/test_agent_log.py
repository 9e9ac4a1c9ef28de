"""A CLI's own log is handed over when its worker ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from worker import agent_log


def written(home: Path, session: str, data: bytes) -> None:
    place = home / ".copilot" / "session-state" / session
    place.mkdir(parents=True)
    (place / "events.jsonl").write_bytes(data)


def test_each_sessions_log_is_handed_over_whole(tmp_path: Path) -> None:
    written(tmp_path, "a", b'{"type":"session.start"}\n')
    written(tmp_path, "b", b"\xff\n")
    first, second = agent_log.logs("copilot", tmp_path)
    assert first == {
        "name": "events.jsonl",
        "session_id": "a",
        "bytes": 25,
        "left_out": 0,
        "text": '{"type":"session.start"}\n',
    }
    assert second["text"] == "\ufffd\n"


def test_of_a_log_that_is_too_long_the_last_whole_lines_are_kept_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_log, "MOST", 10)
    written(tmp_path, "a", b"12345\n6789\nabcd\n")
    (log,) = agent_log.logs("copilot", tmp_path)
    assert (log["bytes"], log["left_out"], log["text"]) == (16, 6 + 5, "abcd\n")


def test_an_agent_that_keeps_none_has_none(tmp_path: Path) -> None:
    assert list(agent_log.logs("mini", tmp_path)) == list(agent_log.logs("copilot", tmp_path)) == []

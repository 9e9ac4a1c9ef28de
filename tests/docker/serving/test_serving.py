"""A service finds its port again, says where it is only once it answers, and says in one line what is wrong with its file."""

from __future__ import annotations

import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from serving.config import read_config
from serving.port import announce, bind, url_of


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def announced(place: Path, listener: socket.socket) -> dict[str, Any]:
    config = {"ready_file": str(place / "ready.json")}
    announce(config["ready_file"], url_of(config, listener))
    return config


def test_a_next_life_takes_the_port_that_was_announced(tmp_path: Path) -> None:
    with closing(bind({})) as first:
        config, port = announced(tmp_path, first), port_of(first)
    with closing(bind(config)) as second:
        assert port_of(second) == port


def test_a_port_that_somebody_took_meanwhile_is_left_to_him(tmp_path: Path) -> None:
    with closing(bind({})) as taken:
        config = announced(tmp_path, taken)
        with closing(bind(config)) as second:
            assert port_of(second) not in (0, port_of(taken))


def test_a_configured_port_is_taken_or_refused_never_swapped_for_another(tmp_path: Path) -> None:
    with closing(bind({})) as taken, pytest.raises(OSError):
        bind({"port": port_of(taken), "ready_file": str(tmp_path / "ready.json")})


def test_a_ready_file_that_cannot_be_read_is_as_none(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"url": 7}', '{"url": "http://x"}'):
        (tmp_path / "ready.json").write_text(text)
        with closing(bind({"ready_file": str(tmp_path / "ready.json")})) as listener:
            assert port_of(listener) > 0


def test_a_public_address_is_announced_instead_of_the_bound_one(tmp_path: Path) -> None:
    with closing(bind({})) as listener:
        announce(str(tmp_path / "ready.json"), url_of({"public_url": "https://board.example"}, listener))
    assert json.loads((tmp_path / "ready.json").read_text())["url"] == "https://board.example"


def test_paths_are_read_against_the_files_own_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"data_dir": "data", "ready_file": "ready.json"}))
    config = read_config("x", ["--config", str(tmp_path / "config.json")])
    assert config["data_dir"] == str(tmp_path / "data") and (tmp_path / "data").is_dir()
    assert config["ready_file"] == str(tmp_path / "ready.json")


@pytest.mark.parametrize("text", ["", "[]", '"x"', "{}", '{"data_dir": 7}', '{"data_dir": "/dev/null/x"}'])
def test_a_file_that_cannot_be_used_is_exit_code_2_and_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(SystemExit) as ended:
        read_config("board", ["--config", str(tmp_path / "config.json")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("board: configuration ") and said.count("\n") == 1

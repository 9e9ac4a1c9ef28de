from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

DOCKER = Path(__file__).resolve().parents[3] / "docker"


def start(place: Path) -> subprocess.Popen[bytes]:
    (place / "tokens.json").write_text(json.dumps({"workers": {"w0001": "one"}, "ingest": "eye"}))
    config = {
        "data_dir": str(place),
        "ready_file": str(place / "ready.json"),
        "tokens_file": str(place / "tokens.json"),
    }
    (place / "config.json").write_text(json.dumps(config))
    return subprocess.Popen(
        [sys.executable, "-m", "board", "--config", place / "config.json"],
        env={**os.environ, "PYTHONPATH": str(DOCKER)},
    )


def url_of(process: subprocess.Popen[bytes], place: Path) -> str:
    for _ in range(600):
        try:
            said = json.loads((place / "ready.json").read_text())
            if said["pid"] == process.pid:
                return str(said["url"])
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError("the board never got ready")


def call(url: str, token: str = "one", body: object = None) -> object:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def test_a_killed_board_comes_back_on_its_port_with_every_note_it_admitted(tmp_path: Path) -> None:
    process = start(tmp_path)
    url = url_of(process, tmp_path)
    for n in range(20):
        call(f"{url}/notes", body={"type": "FACT", "text": f"fact {n}"})
    process.kill()
    process.wait(10)
    process = start(tmp_path)
    try:
        assert url_of(process, tmp_path) == url
        assert call(f"{url}/events", "eye")["last"] == 20  # type: ignore[index]
        assert call(f"{url}/health") == {"ok": True}
    finally:
        process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


def test_a_bad_configuration_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    done = subprocess.run(
        [sys.executable, "-m", "board", "--config", tmp_path / "config.json"],
        env={**os.environ, "PYTHONPATH": str(DOCKER)},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 2 and b"data_dir" in done.stderr

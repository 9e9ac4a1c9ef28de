"""The sandbox around agents that nobody here wrote, made for real: what is inside, what is not, and that nothing outlives it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runs.backends.processes import marked
from runs.backends.sandbox.attempts import goal_of
from runs.backends.sandbox.fence import Fence
from runs.backends.sandbox.probe import fault

ROOT = Path(__file__).resolve().parents[3]
UID = 62_017


class Sandbox:
    """One fence and commands run behind it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fence = Fence(
            user="w0017",
            uid=UID,
            home=str(folder / "home"),
            cwd=str(folder / "work"),
            tmp=str(folder / "tmp"),
            read=(str(folder / "task"),),
            network=str(folder / "network.jsonl"),
        )
        for name in ("home", "work", "task", "secrets"):
            (folder / name).mkdir()
        (folder / "task" / "read.me").write_text("build it")
        (folder / "secrets" / "token").write_text("canary")

    def command(self, script: str, port: int = 0) -> list[str]:
        file = self.folder / "fence.json"
        file.write_text(json.dumps(self.fence.dump()))
        return [sys.executable, "-m", "runs.backends.sandbox", str(file), str(port), "--", "/bin/bash", "-c", script]

    @property
    def env(self) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "HOME": self.fence.home,
            "MARK": str(self.folder),
            "AGENSH_PROC": "w0017",
        }

    def run(self, script: str, port: int = 0, given: str = "") -> subprocess.CompletedProcess[str]:
        command = self.command(script, port)
        return subprocess.run(
            command, env=self.env, input=given, capture_output=True, text=True, timeout=60, check=False
        )

    def start(self, script: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command(script), env=self.env, stdout=subprocess.PIPE)

    def left(self) -> list[int]:
        return marked(f"MARK={self.folder}")


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


@pytest.fixture
def service() -> Iterator[int]:
    """A service on this machine's loopback; gives its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def test_an_agent_is_a_user_of_its_own_with_its_own_processes(sandbox: Sandbox) -> None:
    done = sandbox.run(
        'id -u; whoami; hostname; echo $$; ls /proc | grep -c "^[0-9]"; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status'
    )
    assert done.returncode == 0, done.stderr
    user, name, host, pid, processes, *rest = done.stdout.split()
    assert (user, name, host) == (str(UID), "w0017", "w0017")
    assert int(pid) < 5
    assert int(processes) < 10
    assert rest == ["CapEff:", "0000000000000000", "NoNewPrivs:", "1"]


def test_it_sees_its_own_folders_and_the_task_and_nothing_else_of_ours(sandbox: Sandbox) -> None:
    folder = sandbox.folder
    done = sandbox.run(f"cat {folder}/task/read.me; echo; ls {folder}; ls -a {ROOT} /root /home 2>/dev/null; env")
    seen, _, rest = done.stdout.partition("\n")
    assert seen == "build it"
    assert rest.split()[:3] == ["home", "task", "work"]
    assert "canary" not in done.stdout
    assert "manage.py" not in rest
    assert "PYTHONPATH" not in rest
    assert "AGENSH_PROC" not in rest


@pytest.mark.parametrize("path", ["/usr/bin/x", "/etc/passwd", "/x", "TASK/x"])
def test_it_writes_nowhere_but_at_home(sandbox: Sandbox, path: str) -> None:
    target = path.replace("TASK", f"{sandbox.folder}/task")
    assert sandbox.run(f"echo x > {target}").returncode != 0
    done = sandbox.run("echo mine > $HOME/a; echo mine > b; echo mine > /tmp/c; cat $HOME/a b /tmp/c")
    assert done.stdout.split() == ["mine"] * 3
    assert (sandbox.folder / "home" / "a").read_text() == "mine\n"


def test_of_this_machines_ports_it_reaches_the_named_ones_only(sandbox: Sandbox, service: int) -> None:
    ask = "import sys, urllib.request as u; print(len(u.urlopen('http://127.0.0.1:%d/', data=b'x' * 3_000_000).read()))"
    done = sandbox.run(f'python3 -c "{ask % service}"', port=service)
    assert done.stdout.strip() == "3000000", done.stderr
    barred = sandbox.run(f'python3 -c "{ask % service}"')
    assert barred.returncode != 0
    assert "Connection refused" in barred.stderr


def test_what_it_tries_outside_is_refused_at_once_and_listed(sandbox: Sandbox) -> None:
    script = """python3 - <<'END'
import socket
for host, port in (("192.0.2.7", 443), ("chatgpt.example", 443), ("192.0.2.7", 443)):
    try:
        socket.create_connection((host, port), 5)
    except OSError as problem:
        print(type(problem).__name__)
END"""
    began = time.monotonic()
    done = sandbox.run(script)
    assert done.stdout.split() == ["ConnectionRefusedError", "gaierror", "ConnectionRefusedError"]
    assert time.monotonic() - began < 20
    rows = [json.loads(line) for line in (sandbox.folder / "network.jsonl").read_text().splitlines()]
    assert [(row["how"], row["to"], row["port"]) for row in rows] == [
        ("tcp", "192.0.2.7", 443),
        ("dns", "chatgpt.example", 53),
    ]


def test_streams_and_exit_codes_pass_straight_through(sandbox: Sandbox) -> None:
    done = sandbox.run("cat; echo word >&2; exit 7", given="hello\n")
    assert (done.stdout, done.stderr, done.returncode) == ("hello\n", "word\n", 7)
    assert sandbox.run("kill -KILL $$").returncode == 137


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_inside_outlives_the_sandbox(sandbox: Sandbox, sign: int) -> None:
    """Not even what left its session and ignores every polite word."""
    process = sandbox.start("trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 600' & echo up; sleep 600; sleep 600")
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    assert len(sandbox.left()) >= 3
    process.send_signal(sign)
    process.wait(20)
    process.stdout.close()
    end = time.monotonic() + 5
    while sandbox.left() and time.monotonic() < end:
        time.sleep(0.05)
    assert sandbox.left() == []


def test_a_file_it_cannot_read_is_said_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "runs.backends.sandbox", str(tmp_path / "none.json"), "0", "--", "true"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 125
    assert len(done.stderr.splitlines()) == 1


def test_the_probe_finds_this_machine_fit_and_sees_through_a_sandbox_that_does_not_hold(tmp_path: Path) -> None:
    assert fault(tmp_path) == ""
    from runs.backends.sandbox.probe import _judge

    assert _judge(["62000", "4", "1", "hidden"], wrote=True) == ""
    assert "seen" in _judge(["62000", "4", "1", "seen"], wrote=True)
    assert "user 0" in _judge(["0", "4", "1", "hidden"], wrote=True)
    assert "3 network devices" in _judge(["62000", "4", "3", "hidden"], wrote=True)
    assert _judge([], wrote=False) != ""


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming somebody else needs root")
def test_it_holds_without_root_as_well(sandbox: Sandbox) -> None:
    """A user namespace in place of a real user. Skipped only where the tests themselves run without root: then every test above is this one."""
    python = "/usr/bin/python3"
    if not os.access(python, os.X_OK):
        pytest.skip("this machine's Python is not for everybody")
    os.chmod(sandbox.folder, 0o777)
    for name in ("home", "work"):
        os.chown(sandbox.folder / name, 65_534, 65_534)
    for folder in [sandbox.folder, *sandbox.folder.parents]:
        if folder.stat().st_uid == 0 and folder != Path("/") and "pytest" in str(folder):
            os.chmod(folder, 0o777)
    # A checkout may lie where only root looks: the program is put where anybody can read it.
    library = sandbox.folder / "lib" / "runs" / "backends"
    shutil.copytree(ROOT / "runs" / "backends" / "sandbox", library / "sandbox")
    for package in (library.parent, library):
        (package / "__init__.py").touch()
    env = {**sandbox.env, "PYTHONPATH": str(library.parents[1])}
    command = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        python,
        *sandbox.command("id -u; touch $HOME/x")[1:],
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == str(UID), done.stderr
    assert (sandbox.folder / "home" / "x").stat().st_uid == 65_534


def test_packets_are_read_as_goals() -> None:
    syn = bytes([0x45, *[0] * 8, 6, *[0] * 6, 192, 0, 2, 7]) + struct.pack("!HHIIBB", 4, 443, 0, 0, 0x50, 0x02)
    assert goal_of(syn) == ("tcp", "192.0.2.7", 443)
    assert goal_of(syn[:33] + b"\x12") is None  # an answer
    question = b"\0" * 12 + b"\x03api\x06github\x03com\0"
    asked = bytes([0x45, *[0] * 8, 17, *[0] * 6, 127, 0, 0, 1]) + struct.pack("!HHHH", 9, 53, 8 + len(question), 0)
    assert goal_of(asked + question) == ("dns", "api.github.com", 53)
    six = bytes([0x60, 0, 0, 0, 0, 0, 6, 64]) + b"\0" * 16 + socket.inet_pton(socket.AF_INET6, "2001:db8::1")
    assert goal_of(six + struct.pack("!HHIIBB", 4, 80, 0, 0, 0x50, 0x02)) == ("tcp", "2001:db8::1", 80)
    for junk in (b"", b"\x45", b"\x00" * 40, b"\x45" + b"\xff" * 8):
        assert goal_of(junk) is None or isinstance(goal_of(junk), tuple)

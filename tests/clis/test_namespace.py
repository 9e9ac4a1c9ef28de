"""The namespace that the conformance test trusts: a try from inside is seen and goes nowhere, and afterwards the network is as before."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clis.namespace import nothing_but_loopback

pytestmark = pytest.mark.clis
TRY = "import socket; socket.create_connection(('203.0.113.7', 443), 2)"


def test_a_try_of_a_program_inside_is_refused_and_listed(tmp_path: Path) -> None:
    devices = [name for _, name in socket.if_nameindex()]
    with nothing_but_loopback(tmp_path / "outside.jsonl") as outside:
        assert outside.attempts() == []
        tried = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True, check=False)
        assert "Connection refused" in tried.stderr
        assert outside.attempts() == ["tcp 203.0.113.7:443"]
        assert [name for _, name in socket.if_nameindex()] == ["lo"]
    assert [name for _, name in socket.if_nameindex()] == devices

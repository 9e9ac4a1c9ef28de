"""The shell: one command at a time in a process group of its own, with a time limit and a bounded output."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

DEFAULT_S, LONGEST_S = 120.0, 1800.0
HEAD, TAIL = 10_000, 20_000
HIDDEN = ("AGENSH_MODEL_TOKEN",)

SPEC: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "shell",
        "description": "Run a bash command in your working folder. Gives its exit code and its output (stdout and stderr together).",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout_s": {"type": "number", "description": f"default {DEFAULT_S:.0f}, at most {LONGEST_S:.0f}"},
            },
            "required": ["command"],
        },
    },
}


async def run(command: str, cwd: Path, timeout_s: float = DEFAULT_S) -> dict[str, Any]:
    """`{"exit_code", "output"}`; a command out of time is killed with its group: exit code 124 and `timed_out`."""
    output = _Output()
    reading, inlet = await output.open()
    try:
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=inlet,
            stderr=inlet,
            cwd=cwd,
            env={name: value for name, value in os.environ.items() if name not in HIDDEN},
            start_new_session=True,
        )
    except BaseException:
        output.close()
        raise
    finally:
        os.close(inlet)
    timed_out = False
    try:
        await asyncio.wait_for(process.wait(), min(max(0.1, timeout_s), LONGEST_S))
    except TimeoutError:
        timed_out = True
    finally:
        if process.returncode is None:
            _kill(process.pid)
            await process.wait()
        # A process left in the background may hold the pipe; what it says later is not waited for.
        await asyncio.wait({reading}, timeout=1)
        output.close()
    result: dict[str, Any] = {"exit_code": 124 if timed_out else process.returncode, "output": output.text()}
    return result | ({"timed_out": True} if timed_out else {})


class _Output(asyncio.Protocol):
    """The first and the last of what was printed: a build log must not fill the memory or the context.

    The pipe is our own: asyncio's process counts as ended only when its pipes close, and a background process may hold them.
    """

    def __init__(self) -> None:
        self._head, self._tail, self._size = b"", b"", 0
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.ReadTransport | None = None

    async def open(self) -> tuple[asyncio.Future[None], int]:
        """The future of the pipe's end, and the end to write to."""
        outlet, inlet = os.pipe()
        file = os.fdopen(outlet, "rb", buffering=0)
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, file)
        return self._ended, inlet

    def data_received(self, data: bytes) -> None:
        """A chunk was printed."""
        self._size += len(data)
        room = max(0, HEAD - len(self._head))
        self._head += data[:room]
        self._tail = (self._tail + data[room:])[-TAIL:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody holds the pipe any more."""
        if not self._ended.done():
            self._ended.set_result(None)

    def close(self) -> None:
        """Read no further."""
        if self._transport is not None:
            self._transport.close()

    def text(self) -> str:
        left_out = self._size - len(self._head) - len(self._tail)
        middle = f"\n[{left_out} bytes left out]\n".encode() if left_out else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")


def _kill(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass

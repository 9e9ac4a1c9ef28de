"""The lines between a worker and its harness: each message is read once, shown to whoever listens, and only then handed on.

It is the SDK's transport. Updates of a session (most of what an agent says) go to the listener and no further: nobody needs them typed,
and the SDK would copy and validate each, drop fields it does not know and refuse kinds it does not know.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

LINE = 50 * 1024 * 1024  # bytes of a message that are still read
HARNESS_LOG = 10 * 1024 * 1024

Message = dict[str, Any]


class Wire:
    """`heard(direction, message)` sees every message, `noise(line)` every line that is none."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        heard: Callable[[str, Message], None],
        noise: Callable[[str], None],
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out, self._heard, self._noise = process.stdin, process.stdout, heard, noise

    async def send(self, message: Message) -> None:
        """Write a message whole. Raises ConnectionError or OSError when the harness reads no more."""
        self._in.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self._heard("to_agent", message)  # before anything can be answered
        await self._in.drain()

    async def receive(self) -> Message | None:
        """The next message that asks or answers something; None at the end."""
        while line := await self._line():
            message = read(line)
            if message is None:
                if line.strip():
                    self._noise(line.decode("utf-8", "replace").rstrip("\n"))
                continue
            self._heard("from_agent", message)
            if message.get("method") != "session/update":
                return message
        return None

    async def close(self) -> None:
        """Stdin is closed by who ends the process."""

    async def _line(self) -> bytes:
        """The next line; empty at the end. Of a line too long to be read the fact is noise, and its bytes are let go."""
        dropped = 0
        while True:
            try:
                line = await self._out.readuntil(b"\n")
            except asyncio.IncompleteReadError as end:
                line = end.partial
            except asyncio.LimitOverrunError as over:
                dropped += len(await self._out.readexactly(over.consumed))
                continue
            if not dropped:
                return line
            self._noise(f"a line of {dropped + len(line)} bytes was dropped, {LINE} are read")
            if not line:
                return b""
            dropped = 0


def read(line: bytes) -> Message | None:
    """A line as a message; None if it is none."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


async def drain(stderr: asyncio.StreamReader, path: Path) -> None:
    """Keep the first 10 MiB of stderr; read on behind that, so that the harness never blocks."""
    with path.open("ab", buffering=0) as log:
        while chunk := await stderr.read(1 << 16):
            if log.tell() < HARNESS_LOG:
                log.write(chunk)

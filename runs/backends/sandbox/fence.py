"""What one sandbox allows, as the launcher writes it and the sandbox's program reads it. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

FIRST_UID = 62_000  # above what distributions give to people and services, below nobody's


@dataclass(frozen=True, slots=True)
class Fence:
    """`write` folders and `read` folders keep their paths inside; `ports` are loopback ports of this machine that stay reachable.

    `tmp` is the folder behind /tmp; `network` the file that lists what the agent tried to reach outside.
    """

    user: str
    uid: int
    home: str
    cwd: str
    tmp: str
    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    network: str = ""

    def dump(self) -> dict[str, object]:
        """As JSON."""
        return asdict(self)

    @classmethod
    def load(cls, path: Path) -> Fence:
        """From the launcher's file. Raises OSError, ValueError, KeyError or TypeError."""
        raw = json.loads(path.read_text())
        raw |= {name: tuple(raw.get(name) or ()) for name in ("write", "read", "ports")}
        return cls(**raw)

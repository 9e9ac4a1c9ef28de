"""Two forges for one list of tests: the stand-in, always, and a real Gitea where one is named.

`AGENSH_REAL_GITEA` names a JSON file: `{"url", "admin", "password", "outbox", "restart": [argv], "restart_database": [argv]}`;
`outbox` is the DSN of a role that may read `hook_task`, `restart*` are commands that end and begin the service again.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx

from runs.bootstrap.forge import Forge
from runs.bootstrap.secrets import Secrets
from tests.docker.standins.service import PASSWORD, Service, running

REAL = "AGENSH_REAL_GITEA"


class ForgePlace:
    """Where a forge answers, who administers it, where its outbox is read, and how it is restarted."""

    def __init__(self, kind: str, told: dict[str, Any], service: Service | None = None) -> None:
        self.kind, self.told, self.service = kind, told, service
        self.url, self.name, self.password, self.outbox = (told[key] for key in ("url", "admin", "password", "outbox"))

    def forge(self, owner: str) -> Forge:
        """A repository of its own on it."""
        return Forge(self.url, self.name, owner, "calc")

    def secrets(self, folder: Path) -> Secrets:
        """Secrets that know the administrator."""
        made = Secrets(folder)
        made.keep("forge_admin", self.password)
        return made

    def admin(self) -> httpx.Client:
        """The administrator's calls."""
        auth = (self.name, self.password)
        return httpx.Client(base_url=f"{self.url}/api/v1", auth=auth, trust_env=False, timeout=30)

    def restart(self, what: str = "restart") -> None:
        """End it and begin it again; back when it answers."""
        if self.service is not None:
            self.service.kill()
            self.service.start()
        else:
            subprocess.run(self.told[what], check=True, timeout=120)
        end = time.monotonic() + 60
        while not self._answers():
            assert time.monotonic() < end, "the forge did not come back"
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/healthz", trust_env=False, timeout=2).status_code == 200
        except httpx.HTTPError:
            return False


@contextmanager
def stand_in(folder: Path) -> Iterator[ForgePlace]:
    """A stand-in of its own, gone with the block."""
    port = _free_port()
    with running("standins.forge", folder, webhook_timeout_s=1, port=port) as service:
        told = {
            "url": service.url,
            "admin": "agensh",
            "password": PASSWORD,
            "outbox": f"sqlite:///{service.data_dir / 'forge.db'}",
        }
        yield ForgePlace("stand-in", told, service)


@contextmanager
def real(folder: Path) -> Iterator[ForgePlace]:
    """The Gitea that the environment names; it was there before and stays."""
    yield ForgePlace("real", json.loads(Path(os.environ[REAL]).read_text("utf-8")))


def places() -> list[Callable[[Path], AbstractContextManager[ForgePlace]]]:
    """Every forge these tests run against here."""
    return [stand_in, real] if os.environ.get(REAL) else [stand_in]


def _free_port() -> int:
    from tests.house.services import free_port

    return free_port()

"""Two forges for one list of tests: the stand-in, always, and a real Gitea on PostgreSQL where AGENSH_GITEA names its program."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from runs.bootstrap.forge import Forge
from runs.bootstrap.secrets import Secrets
from runs.services.gitea import ADMIN_TOKEN
from tests.docker.standins.service import PASSWORD, Service
from tests.docker.standins.team import said
from tests.house.services import free_port
from trajectories.bench.stood import Stood
from trajectories.sources.outbox import _idle

ADMIN = "agensh"


class ForgePlace:
    """Where a forge answers, who administers it, where its outbox is read."""

    real = False
    url: str
    outbox: str

    def forge(self, owner: str) -> Forge:
        """A repository of its own on it."""
        return Forge(self.url, ADMIN, owner, "calc")

    def secrets(self, folder: Path) -> Secrets:
        """Secrets that know the administrator."""
        raise NotImplementedError

    def admin(self) -> httpx.Client:
        """The administrator's calls."""
        return self.client(self._token())

    def client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"token {token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, trust_env=False, timeout=60)

    def _token(self) -> str:
        raise NotImplementedError

    def restart(self) -> None:
        """End it and begin it again; back when it answers."""
        raise NotImplementedError

    def redeliver(self, repo: str, uuid: str) -> None:
        """What the button of the web page does with a delivery: the same again, under a new uuid."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class StandIn(ForgePlace):
    """The stand-in as a process."""

    def __init__(self, folder: Path) -> None:
        # A port of its own from the start: it comes back where it was.
        self.service = Service("standins.forge", folder, webhook_timeout_s=1, port=free_port())
        self.url, self.outbox = self.service.url, f"sqlite:///{self.service.data_dir / 'forge.db'}"
        with httpx.Client(base_url=f"{self.url}/api/v1", auth=(ADMIN, PASSWORD), trust_env=False) as api:
            minted = said(api.post(f"/users/{ADMIN}/tokens", json={"name": "tests", "scopes": ["all"]}))
        self.token: str = minted["sha1"]

    def secrets(self, folder: Path) -> Secrets:
        made = Secrets(folder)
        made.keep("forge_admin", PASSWORD)
        return made

    def _token(self) -> str:
        return self.token

    def restart(self) -> None:
        self.service.kill()
        self.service.start()

    def redeliver(self, repo: str, uuid: str) -> None:
        # It has no pages: this is the row that the real one's button writes.
        with closing(sqlite3.connect(self.service.data_dir / "forge.db", timeout=30)) as db, db:
            db.execute(
                "INSERT INTO hook_task (hook_id, uuid, payload_content, payload_version, event_type, is_delivered, delivered, "
                "is_succeed) SELECT hook_id, ?, payload_content, 2, event_type, 1, ?, 0 FROM hook_task WHERE uuid = ?",
                (str(uuid4()), time.time_ns(), uuid),
            )

    def close(self) -> None:
        self.service.kill()


class Real(ForgePlace):
    """The Gitea of AGENSH_GITEA on a PostgreSQL of its own, both started as a `local` run starts them."""

    real = True

    def __init__(self, folder: Path) -> None:
        self.stood = Stood(folder, ["forge"], 3)
        self.url, self.outbox = self.stood.standing.url("forge"), ""
        self.first = folder / "services" / "forge" / ADMIN_TOKEN
        self.outbox = self.stood.standing.outbox("forge")

    def secrets(self, folder: Path) -> Secrets:
        made = Secrets(folder)
        made.keep("forge_token", self._token())
        return made

    def _token(self) -> str:
        return self.first.read_text("ascii").strip()

    def restart(self) -> None:
        self.stood.restart("forge")

    def restart_database(self) -> None:
        """PostgreSQL ends and comes back under a Gitea that goes on."""
        self.stood.restart("teamdb")

    def redeliver(self, repo: str, uuid: str) -> None:
        password = {"source_id": 0, "login_name": ADMIN, "password": PASSWORD, "must_change_password": False}
        with self.admin() as api, httpx.Client(base_url=self.url, trust_env=False, timeout=60) as page:
            said(api.patch(f"/admin/users/{ADMIN}", json=password))
            [hook] = said(api.get(f"{repo}/hooks"))
            asked = {"_csrf": _csrf(page.get("/user/login").text), "user_name": ADMIN, "password": PASSWORD}
            assert page.post("/user/login", data=asked).status_code == 303
            here = f"{repo.removeprefix('/repos')}/settings/hooks/{hook['id']}"
            done = page.post(f"{here}/replay/{uuid}", data={"_csrf": _csrf(page.get(here).text)})
            assert done.status_code == 303, done.text[:300]

    def close(self) -> None:
        _idle.close()  # kept between readings; the server they lead to ends here
        self.stood.close()


def _csrf(text: str) -> str:
    found = re.search(r'name="_csrf" value="([^"]+)"', text)
    return found[1] if found else ""


def places() -> list[Any]:
    """The parameters of a fixture: the stand-in, and the real one, which says so where it is not run."""
    missing = pytest.mark.skipif(
        not os.environ.get("AGENSH_GITEA"), reason="NOT RUN against a real Gitea: AGENSH_GITEA names none"
    )
    return [pytest.param(StandIn, id="stand-in"), pytest.param(Real, marks=[pytest.mark.real, missing], id="real")]


@contextmanager
def standing(kind: type[Any], folder: Path) -> Iterator[ForgePlace]:
    """A forge that ends with the block."""
    place = kind(folder)
    try:
        yield place
    finally:
        place.close()

"""The real services of one run: their files, the processes that the backend starts, where they answer, what the listener reads."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import httpx

from runs.backends.files import write_json, write_whole
from runs.bootstrap.secrets import Secrets
from runs.services import choosing, gitea, mattermost, postgres
from runs.services.base import Database, RealService
from runs.services.postgres import granting

DATABASES = {"forge": "gitea", "chat": "mattermost"}
OUTBOXES = {"forge": gitea.OUTBOX, "chat": mattermost.OUTBOX}
# No root inside, while the files stay ours: PostgreSQL and Gitea refuse to run as root.
_NO_ROOT = ("unshare", "--user", "--map-user=nobody", "--map-group=nogroup")
# What `depends_on` is in a stack: a service waits until the database answers.
_AFTER = ("/bin/sh", "-c", 'until /bin/sh "$0" ready; do sleep 0.2; done; exec "$@"')


class Standing:
    """The real ones of a run's services (`real`: forge, chat or both) on a backend; they bring a PostgreSQL with them."""

    def __init__(self, backend: ModuleType, folder: Path, run: int, real: Sequence[str]) -> None:
        self.backend, self.folder, self.run, self.real = backend, folder, run, list(real)
        self.secrets = Secrets(folder / "secrets")

    @property
    def names(self) -> list[str]:
        """Every service that is real, the database first."""
        return [postgres.NAME, *self.real] if self.real else []

    def url(self, name: str) -> str:
        """Where the team and the app reach it; the database as its reader does."""
        if name == postgres.NAME:
            return self._dsn(self.real[0])
        host, port = self._known(name)
        return f"http://{host}:{port}"

    def prepare(self, app: str, admin: str, workers: int) -> list[dict[str, Any]]:
        """Write each one's files, once, and give the supervisor's line for it."""
        return [self._process(name, self._service(name, app, admin, workers)) for name in self.names]

    def answers(self, name: str) -> bool:
        """True if it is ready; from then on its `ready.json` says where, as a stand-in's own does."""
        if not (granting.answers(self.url(name)) if name == postgres.NAME else self._is_healthy(name)):
            return False
        file = self.folder / "services" / name / "ready.json"
        if not file.exists():
            write_json(file, {"url": self.url(name)})
        return True

    def _is_healthy(self, name: str) -> bool:
        path = {"forge": gitea.HEALTH, "chat": mattermost.HEALTH}[name]
        try:
            return httpx.get(self.url(name) + path, timeout=3, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def outbox(self, name: str) -> str:
        """The DSN the listener reads by; who may read what is settled first. The password is in a file of its own."""
        granting.let_read(self._database(name), OUTBOXES[name])
        return self._dsn(name)

    def _dsn(self, name: str) -> str:
        host, port = self._known(postgres.NAME)
        passwords = self.secrets.path("reader.pgpass")
        return f"postgresql://{postgres.READER}@{host}:{port}/{DATABASES[name]}?passfile={passwords}"

    def _known(self, name: str) -> tuple[str, int]:
        told = self.backend.listening(self.folder, self.run, name)
        host = urlsplit(told.get("public_url") or "").hostname or "127.0.0.1"
        if told["port"]:
            return host, 5432 if name == postgres.NAME else int(told["port"])
        return host, _kept_port(self.folder / "services" / name / "port")

    def _listens(self, name: str) -> str:
        return str(self.backend.listening(self.folder, self.run, name)["host"])

    def _database(self, name: str) -> Database:
        host, port = self._known(postgres.NAME)
        role = DATABASES[name]
        return Database(host, port, role, role, self.secrets.ensure(f"db_{role}"))

    def _service(self, name: str, app: str, admin: str, workers: int) -> RealService:
        place = self.folder / "services" / name
        local: Mapping[str, str] = {} if self.backend.APART else {"program": choosing.program(name)}
        if name == postgres.NAME:
            host, port = self._known(name)
            reader = self.secrets.ensure("db_reader")
            self.secrets.keep("reader.pgpass", postgres.passfile(host, port, postgres.READER, reader))
            owners = [(DATABASES[each], self.secrets.ensure(f"db_{DATABASES[each]}")) for each in self.real]
            return postgres.service(
                place, port=port, host=self._listens(name), databases=owners, reader=reader, **local
            )
        if name == "chat":
            return mattermost.service(
                place,
                url=self.url(name),
                host=self._listens(name),
                database=self._database(name),
                workers=workers,
                **local,
            )
        for secret in gitea.SECRETS:
            self.secrets.ensure(secret)
        return gitea.service(
            place,
            url=self.url(name),
            listen=self._listens(name),
            admin=admin,
            receiver=urlsplit(app).hostname or "",
            database=self._database(name),
            secrets=self.secrets.folder,
            workers=workers,
            **local,
        )

    def _process(self, name: str, service: RealService) -> dict[str, Any]:
        place = self.folder / "services" / name
        for path, text in service.files.items():
            if not (place / path).exists():
                write_whole(place / path, text)
        return {
            "proc": name,
            "service": True,
            "argv": [*self._wrapped(name), *service.argv],
            "env": self.backend.environment(place, service.env),
            "cwd": str(place),
            "log": str(place / "log.txt"),
            "memory_bytes": service.memory_bytes,
            "compose": dict(service.compose),
        }

    def _wrapped(self, name: str) -> tuple[str, ...]:
        if self.backend.APART:
            return ()
        after = () if name == postgres.NAME else (*_AFTER, str(self.folder / "services" / postgres.NAME / "start.sh"))
        return (*(_NO_ROOT if os.geteuid() == 0 else ()), *after)


def _kept_port(file: Path) -> int:
    """A port that was free once, and that the service keeps over its lives."""
    if not file.exists():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, str(probe.getsockname()[1]))
    return int(file.read_text())

"""Agensh Web as it runs in production, on a data folder of its own: start, ask, disturb, count what is left."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import httpx

from tests.docker.stack import short_task
from tests.docker.stack.engine import ROOT, compose_program, docker
from tests.house.services import free_port

OVER = frozenset({"ended", "failed", "cancelled"})


class Production:
    """The stack of docker/compose.yaml. `manage` runs a command in `web`; `compose` whatever else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"agensh-tests-{secrets.token_hex(3)}"
        self.data = folder / "data"
        keys = folder / "secrets"
        keys.mkdir(parents=True)
        for name in ("secret_key", "database_password"):
            (keys / name).write_text(secrets.token_hex(24))
            os.chown(keys / name, 10_001, 10_001)
        self.data.mkdir()
        short_task.write_short_task(self.data / "tasks")
        self.port = free_port()
        for place in (folder, *folder.parents):
            if place.stat().st_uid == 0 and place != Path("/") and not place.stat().st_mode & 0o001:
                place.chmod(place.stat().st_mode | 0o011)
        self.env = {
            **os.environ,
            "AGENSH_DATA": str(self.data),
            "AGENSH_SECRETS": str(keys),
            "AGENSH_BIND": f"127.0.0.1:{self.port}",
            "DOCKER_GID": str(Path("/var/run/docker.sock").stat().st_gid),
            "AGENSH_POSTGRES_IMAGE": "agensh/test-postgres:latest",
            "AGENSH_REDIS_IMAGE": "agensh/test-redis:latest",
            "AGENSH_FORGE_IMAGE": "agensh/standins:latest",
            "AGENSH_CHAT_IMAGE": "agensh/standins:latest",
            "COMPOSE_PROJECT_NAME": self.name,
            "AGENSH_NETWORK": f"{self.name}_apps",
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def compose(self, *arguments: str, seconds: float = 300, check: bool = True) -> str:
        command = [compose_program(), "-f", str(ROOT / "docker/compose.yaml"), *arguments]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=seconds, check=False)
        if check and done.returncode:
            raise AssertionError(f"compose {' '.join(arguments)}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        return done.stdout

    def start(self) -> None:
        self.compose("up", "-d", "--wait")

    def end(self) -> None:
        """Everything goes, whatever state it is in."""
        if "http" in self.__dict__:
            self.http.close()
        if (site := self.data / "site").exists():
            for container in docker("ps", "-aq", "--filter", f"label=agensh.site={site.read_text().strip()}").split():
                docker("rm", "-f", "-v", container, check=False)
        self.compose("down", "--volumes", "--timeout", "3", check=False)
        shutil.rmtree(self.data, ignore_errors=True)

    def manage(self, *arguments: str, seconds: float = 120, check: bool = True) -> str:
        return self.compose("exec", "-T", "web", "python", "manage.py", *arguments, seconds=seconds, check=check)

    @cached_property
    def http(self) -> httpx.Client:
        """The app's API as an operator. It waits for a `web` that is being restarted."""
        token = self.manage("create_token", "tests", "--role", "admin").split()[-1]
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=30, trust_env=False)

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """An answer of the API; one that is not there for a while is asked again."""
        end = time.monotonic() + 60
        while True:
            try:
                answer = self.http.request(method, path, **more)
                if answer.status_code < 500:
                    assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
                    return answer.json()
            except httpx.TransportError:
                pass
            assert time.monotonic() < end, f"{method} {path}: the app does not answer"
            time.sleep(0.2)

    def launch(self, **fields: Any) -> str:
        """The slug of a new run on `compose`: the short task, unless told otherwise."""
        asked = {"preset": "demo", "backend": "compose", "task": short_task.NAME, "checkpoint_s": 10, "memory_gib": 1}
        return str(self.ask("POST", "/runs", json={**asked, **fields})["slug"])

    def cancel_all(self) -> None:
        """End whatever is under way, and wait until it is over."""
        for run in self.ask("GET", "/runs", params={"limit": 20})["runs"]:
            if run["status"] not in OVER:
                self.http.post(f"/runs/{run['slug']}/cancel")
                self.until(run["slug"], lambda told: told["status"] in OVER, 60)

    def end_early(self, slug: str) -> None:
        """As a person does who has seen enough: the run ends as ended, read to its last word."""
        self.ask("POST", f"/runs/{slug}/end")

    def run(self, slug: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/runs/{slug}"))

    def until(self, slug: str, holds: Callable[[dict[str, Any]], object], seconds: float) -> dict[str, Any]:
        """The run once this holds; an AssertionError with what it says if it ends before, or never does."""
        end = time.monotonic() + seconds
        while True:
            told = self.run(slug)
            if holds(told):
                return told
            over = told["status"] in OVER
            assert not over and time.monotonic() < end, f"{told['status']}, {told['phase']}: {told.get('reason')}"
            time.sleep(0.05)

    def wait(self, slug: str, wanted: str, seconds: float) -> dict[str, Any]:
        """Until the run is in this status."""
        return self.until(slug, lambda told: told["status"] == wanted, seconds)

    def events(self, slug: str, kind: str) -> list[dict[str, Any]]:
        """Events of one kind, in the order they were stored."""
        return list(self.ask("GET", f"/runs/{slug}/events", params={"kind": kind, "limit": 1000})["events"])

    def heard(self, slug: str, kind: str, seconds: float, **fields: Any) -> dict[str, Any]:
        """Wait for an event with these fields."""
        end = time.monotonic() + seconds
        while True:
            for event in self.events(slug, kind):
                if all({**event, **event.get("fields", {})}.get(key) == value for key, value in fields.items()):
                    return event
            assert time.monotonic() < end, f"no {kind} with {fields}: {self.events(slug, kind)[-3:]}"
            time.sleep(0.3)

    def table(self, slug: str, name: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/runs/{slug}/state", params={"table": name})["tables"][name])

    def ledger(self, slug: str) -> dict[str, dict[str, Any]]:
        return dict(json.loads(self.manage("ledger", slug, "--json", check=False)))

    def container(self, slug: str, program: str, seconds: float = 60) -> str:
        """The running container of a worker or a service."""
        run, end = self.run(slug)["id"], time.monotonic() + seconds
        labels = ("--filter", f"label=agensh.run={run}", "--filter", f"label=agensh.program={program}")
        while not (found := docker("ps", "-q", *labels).split()):
            assert time.monotonic() < end, f"no container of {program}"
            time.sleep(0.3)
        return found[0]

    def orphan(self) -> str:
        """A container of a run that this installation does not have, as a launcher leaves it that was killed while it took a stack down."""
        site = (self.data / "site").read_text().strip()
        labels = [f"--label=agensh.site={site}", "--label=agensh.run=999999"]
        return docker("run", "-d", *labels, "agensh/team:latest", "sleep", "600")

    def give_key(self, name: str, url: str, key: str) -> None:
        """The key of a model's endpoint, as a person gives it: on standard input."""
        command = [compose_program(), "-f", str(ROOT / "docker/compose.yaml"), "exec", "-T", "web"]
        command += ["python", "manage.py", "keep_key", name, "--url", url]
        subprocess.run(command, env=self.env, input=key, text=True, check=True, capture_output=True, timeout=120)

    def holders(self, secret: str) -> list[str]:
        """Files of the data folder and of the database that hold it."""
        done = subprocess.run(["grep", "-rlF", secret, "."], cwd=self.data, capture_output=True, text=True, check=False)
        files = [line.removeprefix("./") for line in done.stdout.split()]
        self.compose("exec", "-T", "postgres", "psql", "-U", "agensh", "-d", "agensh", "-c", "CHECKPOINT")
        search = f"grep -rlF {secret} /var/lib/postgresql/data || true"
        return files + self.compose("exec", "-T", "postgres", "sh", "-c", search).split()

    def left_over(self) -> list[str]:
        """Containers, networks and volumes of any run of this installation; one that never planned a stack has none."""
        if not (self.data / "site").exists():
            return []
        site = f"label=agensh.site={(self.data / 'site').read_text().strip()}"
        found = docker("ps", "-a", "--filter", site, "--format", "{{.Names}}").split()
        found += docker("network", "ls", "--filter", site, "--format", "{{.Name}}").split()
        return found + docker("volume", "ls", "-q", "--filter", site).split()

"""Agensh Web as it runs in production, on a data folder of its own: start, ask, disturb, count what is left."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.docker.stack.engine import ROOT, compose_program, docker
from tests.house.services import free_port


class Production:
    """The stack of docker/compose.yaml. `manage` runs a command in `web`; `compose` whatever else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        keys = folder / "secrets"
        keys.mkdir(parents=True)
        for name in ("secret_key", "database_password"):
            (keys / name).write_text(secrets.token_hex(24))
            os.chown(keys / name, 10_001, 10_001)
        self.data.mkdir()
        for place in (folder, *folder.parents):
            if place.stat().st_uid == 0 and place != Path("/") and not place.stat().st_mode & 0o001:
                place.chmod(place.stat().st_mode | 0o011)
        self.env = {
            **os.environ,
            "AGENSH_DATA": str(self.data),
            "AGENSH_SECRETS": str(keys),
            "AGENSH_BIND": f"127.0.0.1:{free_port()}",
            "DOCKER_GID": str(Path("/var/run/docker.sock").stat().st_gid),
            "AGENSH_POSTGRES_IMAGE": "agensh/test-postgres:latest",
            "AGENSH_REDIS_IMAGE": "agensh/test-redis:latest",
        }

    def compose(self, *arguments: str, seconds: float = 300, check: bool = True) -> str:
        command = [compose_program(), "-f", str(ROOT / "docker/compose.yaml"), *arguments]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=seconds, check=False)
        if check and done.returncode:
            raise AssertionError(f"compose {' '.join(arguments)}: {done.stdout[-1500:]} {done.stderr[-1500:]}")
        return done.stdout

    def refuse_company(self) -> None:
        """There is one network of the app's name on an engine: another stack would be taken down by these tests."""
        there = docker("ps", "-aq", "--filter", "label=com.docker.compose.project=agensh")
        assert not there, "a production stack is on this engine already; take it down first"

    def start(self) -> None:
        self.compose("up", "-d", "--wait")

    def end(self) -> None:
        """Everything goes, whatever state it is in."""
        for container in docker("ps", "-aq", "--filter", "label=agensh.run").split():
            docker("rm", "-f", "-v", container, check=False)
        self.compose("down", "--volumes", "--timeout", "3", check=False)
        shutil.rmtree(self.data, ignore_errors=True)

    def manage(self, *arguments: str, seconds: float = 120, check: bool = True) -> str:
        return self.compose("exec", "-T", "web", "python", "manage.py", *arguments, seconds=seconds, check=check)

    def launch(self, **fields: Any) -> str:
        """The slug of a new demo run on `compose`."""
        options = [f"--{name}={value}" for name, value in {"preset": "demo", "backend": "compose", **fields}.items()]
        return str(json.loads(self.manage("launch_run", *options, "--json"))["slug"])

    def run(self, slug: str) -> dict[str, Any]:
        code = "import json; from runs.models import Run; from runs.summary import summary; "
        code += f"print(json.dumps(summary(Run.objects.get(slug={slug!r}))))"
        return dict(json.loads(self.manage("shell", "--no-imports", "-c", code)))

    def wait(self, slug: str, wanted: str, seconds: float) -> dict[str, Any]:
        """Until the run is in this status; an AssertionError with what it says if it does not come to that."""
        end = time.monotonic() + seconds
        while True:
            told = self.run(slug)
            if told["status"] == wanted:
                return told
            over = told["status"] in {"ended", "failed", "cancelled"}
            assert not over and time.monotonic() < end, f"{told['status']}, wanted {wanted}: {told.get('reason')}"
            time.sleep(1)

    def table(self, slug: str, name: str) -> dict[str, Any]:
        return dict(json.loads(self.manage("run_state", slug, "--table", name, "--json"))["tables"][name])

    def ledger(self, slug: str) -> dict[str, dict[str, Any]]:
        return dict(json.loads(self.manage("ledger", slug, "--json", check=False)))

    def left_over(self) -> list[str]:
        """Containers, networks and volumes of any run."""
        found = docker("ps", "-a", "--filter", "label=agensh.run", "--format", "{{.Names}}").split()
        found += docker("network", "ls", "--filter", "label=agensh.run", "--format", "{{.Name}}").split()
        return found + docker("volume", "ls", "-q", "--filter", "label=agensh.run").split()

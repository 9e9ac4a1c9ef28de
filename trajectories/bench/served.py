"""The app in a process of its own on an empty data folder, listening to one run that only its doors feed: what visible and scale look at.

The process prints one JSON line `{"url","link","slug","tokens":[..],"secret"}` and serves until SIGTERM.
Everything on the way is the product's own, doors, store, deriver, hub, pages; only the launching of a run is left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from runs import embedded, people
from runs.models import Run, SignInLink, Worker, WorkerToken
from trajectories.listening import Listener

# Models want a set-up Django before they are imported, and the package around this file imports models.
START = "import sys, django; django.setup(); from trajectories.bench.served import main; main(int(sys.argv[1]))"
ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def served(workers: int, database: str = "") -> Iterator[dict[str, Any]]:
    """A running app; `pid` and `folder` beside what it printed. It is gone afterwards, with its data.

    Its database is SQLite in that folder, or the empty one that the URL `database` names.
    """
    with tempfile.TemporaryDirectory(prefix="agensh-bench-") as folder:
        env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        if database:
            env["DATABASE_URL"] = database
        process = subprocess.Popen(
            [sys.executable, "-c", START, str(workers)],
            cwd=ROOT,
            env={**env, "AGENSH_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "agensh_web.settings"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("the app did not start")
            yield {**json.loads(line), "pid": process.pid, "folder": folder}
        finally:
            process.terminate()
            process.wait(20)
            if process.stdout is not None:
                process.stdout.close()


def main(workers: int) -> None:
    """Migrate, make the run, listen, serve."""
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    socket = embedded.listening_socket(0)
    url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    link = f"{url}/sign-in/link/{SignInLink.mint(people.add('bench', 'operator', None))}"
    told = {"url": url, "link": link, **_run(workers)}
    threading.Thread(target=_listen, args=(told.pop("run"),), daemon=True).start()
    embedded.serve(socket, lambda: print(json.dumps(told), flush=True))


def _run(workers: int) -> dict[str, Any]:
    secret = Path(settings.DATA_DIR) / "hook.secret"
    secret.write_text("bench")
    forge = {"forge": {"hook_secret": {"token_file": str(secret)}}}
    facts = {"name": "Measured", "status": "running", "origin": "simulated", "started_at": timezone.now()}
    run = Run.objects.create(slug="measured", endpoints=forge, spec={"duration_s": 3600}, **facts)
    run.record("run.started", duration_s=3600, workers=workers)
    tokens = []
    for n in range(1, workers + 1):
        name, node = f"w{n:04d}", f"node {(n - 1) // 64 + 1:02d}"
        Worker.objects.create(run=run, n=n, name=name, life=1, harness="mini", model="bench")
        run.record("worker.enrolled", worker=n, name=name, node=node, gitea_login=name, gitea_id=n)
        run.record("worker.joined", worker=n, life=1)
        tokens.append(WorkerToken.mint(run, n, 1))
    return {"slug": run.slug, "run": run.pk, "tokens": tokens, "secret": "bench"}


def _listen(run_id: int) -> None:
    listener = Listener(run_id)
    while True:
        began = time.monotonic()
        listener.turn()
        time.sleep(max(0.0, listener.pause_s - (time.monotonic() - began)))

"""The team of a run: accounts, tokens and roster by bootstrap, then each worker's file and process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings

from runs import clis
from runs.backends import backend_of
from runs.backends.enclosed import enclosed
from runs.backends.files import read_json, write_json
from runs.bootstrap import chat as chats
from runs.bootstrap import forge as forges
from runs.bootstrap.accounts import ensure_accounts
from runs.bootstrap.bots import ensure_bots
from runs.catalog import find_task
from runs.endpoints import endpoints
from runs.folder import RunFolder
from runs.harnesses import harness
from runs.isolation import SANDBOX
from runs.live_app import app_url
from runs.models import Run, Worker, WorkerToken
from runs.models.worker import worker_name
from runs.plan import ADMIN, CHANNEL, GATE_S, OWNER, TEAM, worker_file, worker_process, worker_spec
from runs.progress import Progress
from runs.services.gitea import ADMIN_TOKEN
from runs.services.standing import Standing
from runs.spec import RunSpec, WorkerSpec
from runs.validation import parse_spec

ROOT_DOCKER = Path(settings.BASE_DIR) / "docker"
PROMPT = ROOT_DOCKER / "worker" / "prompt.md"
GRACE_S = 120  # after the deadline the supervisor ends what the monitor did not


def spec_of(run: Run) -> RunSpec:
    """The frozen spec of a run's row."""
    return parse_spec({key: value for key, value in run.spec.items() if key != "role_window_s"})


def bootstrap(run: Run, spec: RunSpec, urls: Mapping[str, str], checkpoint: Callable[[], None]) -> None:
    """Forge, chat and board know every worker; the roster is recorded; the run's endpoints are stored."""
    folder, task = RunFolder.of(run.slug), find_task(run.task)
    assert task is not None
    secrets = folder.secrets
    real = run.monitor.get("real", [])
    left = folder.service("forge") / ADMIN_TOKEN if "forge" in real else None
    forge = forges.Forge(urls["forge"], ADMIN, OWNER, run.task, first_token=left)
    forges.ensure_repository(forge, secrets, task.folder / "seed")
    forges.ensure_hook(forge, secrets, f"{app_url()}/ingest/{run.slug}/gitea")
    checkpoint()
    chat, rooms = None, ("", "")
    if "chat" in urls:
        chat = chats.Chat(urls["chat"], ADMIN, TEAM, CHANNEL)
        chats.check_limits(chat, secrets)
        rooms = chats.ensure_channel(chat, secrets)
    names = {n: worker_name(n) for n in range(1, spec.workers + 1)}
    if "board" in urls:
        tokens = {name: secrets.ensure(f"{name}.board") for name in names.values()}
        write_json(folder.service("board") / "tokens.json", {"workers": tokens, "ingest": secrets.ensure("board")})
    if not run.run_events.filter(kind="node.joined").exists():
        run.record("node.joined", node="local")
    users = ensure_accounts(forge, secrets, list(names.values()), Progress(run, checkpoint, "forge accounts"))
    told = Progress(run, checkpoint, "chat accounts")
    bots = ensure_bots(chat, secrets, list(names.values()), rooms, told) if chat else {}
    for n, name in names.items():
        checkpoint()
        _enrol(run, spec, n, name, users[name], bots.get(name, {}))
    standing = Standing(backend_of(run), folder.path, run.pk, real)
    run.endpoints = endpoints(folder, urls, run.task, rooms, standing)
    run.save(update_fields=["endpoints"])


def _enrol(run: Run, spec: RunSpec, n: int, name: str, user: Mapping[str, Any], bot: Mapping[str, Any]) -> None:
    row, new = Worker.objects.get_or_create(
        run=run, n=n, defaults={"name": name, "harness": spec.harness_of(n), "model": spec.model}
    )
    ids = {
        "gitea_login": user["login"],
        "gitea_id": user["id"],
        "mattermost_username": bot.get("username", ""),
        "mattermost_id": bot.get("id", ""),
    }
    if new or any(getattr(row, key) != value for key, value in ids.items()):
        for key, value in ids.items():
            setattr(row, key, value)
        with run.locked():
            row.save(update_fields=list(ids))
            row.enrol()


def start_workers(run: Run, spec: RunSpec) -> None:
    """The clock starts; every worker gets its first life, to be started when the ramp says so."""
    folder = RunFolder.of(run.slug)
    if run.status != "running":
        run.start_clock(standins=run.endpoints.get("standins", []), scripted=spec.scripted)
    run.enter_phase("workers")
    assert run.started_at is not None
    end = run.started_at + timedelta(seconds=spec.duration_s)
    backend_of(run).command(folder.path, "deadline", at=int((end.timestamp() + GRACE_S) * 1000))
    for row in run.workers.filter(life=0):
        joins = run.started_at + timedelta(seconds=spec.joins_at(row.n))
        ready = GATE_S if spec.ramp_gate > 1 else 0
        start_life(run, spec, row, joins, joins + timedelta(seconds=ready))


def start_life(run: Run, spec: RunSpec, row: Worker, process_at: datetime, loop_at: datetime) -> None:
    """Give a worker its next life: a token, its file, a line to the supervisor. Held by the run's lease."""
    folder = RunFolder.of(run.slug)
    secrets, life = folder.secrets, row.life + 1
    secrets.keep(f"{row.name}.ingest.{life}", WorkerToken.mint(run, row.n, life))
    worker = _as_harness_sees(run, spec, row)
    write_worker_file(run, spec, row, life, loop_at)
    process = worker_process(
        worker,
        life,
        folder.path,
        backend_of(run).environment(folder.worker(row.name)),
        int(process_at.timestamp() * 1000),
    )
    # The row is written first: a line to the supervisor without it would be a life nobody knows.
    row.life, row.status, row.handle = life, Worker.Status.STARTING, {"backend": spec.backend, "proc": row.name}
    row.save(update_fields=["life", "status", "handle"])
    backend_of(run).start(folder.path, process)


def write_worker_file(run: Run, spec: RunSpec, row: Worker, life: int, loop_at: datetime | None = None) -> None:
    """(Re)write `worker.json`: at each life, and when the app answers at another address than before."""
    folder, task = RunFolder.of(run.slug), find_task(run.task)
    assert run.deadline_at is not None
    path = folder.worker(row.name) / "worker.json"
    start_at = _iso(loop_at) if loop_at else json.loads(path.read_text())["start_at"]
    worker = _as_harness_sees(run, spec, row)
    home = folder.worker(row.name) / "home"
    names = [name for name in ("board", "chat", "forge") if name in run.endpoints]
    files = {name: str(folder.secrets.path(f"{row.name}.{name}")) for name in (*names, "model")}
    endpoints, command = _worker_endpoints(run, spec), harness(worker.harness).command(worker)
    if run.provenance.get("isolation", {}).get(worker.harness) == SANDBOX:
        command = enclosed(command, worker, folder.worker(row.name), folder.task, endpoints)
    document = worker_file(
        worker,
        command,
        run=run.slug,
        life=life,
        folder=folder.path,
        task={"name": run.task, "title": task.title if task else run.task},
        endpoints=endpoints,
        token_files={**files, "ingest": str(folder.secrets.path(f"{row.name}.ingest.{life}"))},
        start_at=start_at,
        deadline_at=_iso(run.deadline_at),
        spec=spec,
        prompt=PROMPT,
        env=backend_of(run).environment(home),
    )
    write_json(path, document, 0o400)


def _worker_endpoints(run: Run, spec: RunSpec) -> dict[str, Any]:
    told = {"url": "url", "owner": "owner", "repo": "repo", "team": "team", "channel": "channel"}
    told |= {"team_id": "team_id", "channel_id": "channel_id"}
    found = {
        name: {key: value for key, value in run.endpoints[name].items() if key in told}
        for name in ("board", "chat", "forge")
        if name in run.endpoints
    }
    found["ingest"] = {"url": _ingest_url(run)}
    found["model"] = {"url": _model_url(run)}
    return found


def _ingest_url(run: Run) -> str:
    """Where workers ship: the app, or the gateway that passes it on where the app is not on their network."""
    base = run.endpoints["gateway"]["url"] if backend_of(run).APART else app_url()
    return f"{base}/ingest/{run.slug}/acp"


def _model_url(run: Run) -> str:
    """The gateway's: no worker is told where the model is."""
    return f"{run.endpoints['gateway']['url']}/v1"


def _as_harness_sees(run: Run, spec: RunSpec, row: Worker) -> WorkerSpec:
    return worker_spec(
        spec,
        row.n,
        row.name,
        _model_url(run),
        cli=backend_of(run).CLIS or str(clis.folder()),
        platform=clis.node_platform(),
    )


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def readdress() -> None:
    """The app answers at another address than before: tell the workers of every run under way."""
    for run in Run.objects.filter(status="running"):
        spec, here = spec_of(run), _ingest_url(run)
        for row in run.workers.filter(life__gt=0):
            known = read_json(RunFolder.of(run.slug).worker(row.name) / "worker.json")
            if known and known["endpoints"]["ingest"]["url"] != here:
                write_worker_file(run, spec, row, row.life)

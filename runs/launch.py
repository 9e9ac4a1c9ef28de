"""Launching: from a checked spec to a running team, as ensured steps. Interrupted anywhere, it is simply called again."""

from __future__ import annotations

import logging
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from runs import gateways, preflight
from runs.backends import backend_of
from runs.backends.files import read_json, tail, write_json
from runs.bootstrap.client import BootstrapError
from runs.catalog import find_task, known
from runs.folder import RunFolder
from runs.isolation import isolation
from runs.live_app import app_url
from runs.models import Run
from runs.models.worker import worker_name
from runs.plan import ADMIN, service_config, service_names, service_process
from runs.provenance import provenance
from runs.services import choosing
from runs.services.standing import Standing
from runs.signals import ring
from runs.spec import RunSpec
from runs.team import PROMPT, bootstrap, spec_of, start_workers
from runs.validation import check_spec

READY_S, REAL_READY_S = 60, 300  # real ones make their tables first
log = logging.getLogger(__name__)


class LaunchStopped(Exception):
    """Somebody asked for the end while the launch went on."""


class LaunchFailed(Exception):
    """A step cannot be done; the text is for people."""


def create_run(spec: RunSpec, *, person: User | None = None, idempotency_key: str | None = None) -> tuple[Run, bool]:
    """A draft of a checked spec and whether it is new. The same key twice gives the first run. Raises SpecError."""
    check_spec(spec, known())
    scope = f"{person.pk if person else 0}:{idempotency_key}"[:120] if idempotency_key else None
    if scope and (earlier := Run.objects.filter(idempotency_key=scope).first()):
        return earlier, False
    for _ in range(20):
        try:
            with transaction.atomic():
                run = Run.objects.create(
                    slug=_free_slug(spec.name),
                    name=spec.name,
                    task=spec.task,
                    group=spec.group,
                    scripted=spec.scripted,
                    spec={**spec.as_dict(), "role_window_s": spec.role_window_s},
                    created_by=person,
                    idempotency_key=scope,
                )
                ring(run.pk)
                return run, True
        except IntegrityError:
            if scope and (earlier := Run.objects.filter(idempotency_key=scope).first()):
                return earlier, False
    raise RuntimeError("no free name was found for the run")


def _free_slug(name: str) -> str:
    base = slugify(name)[:60] or "run"
    if base.isdigit():
        base = f"run-{base}"  # a slug of digits would look like an id
    count = Run.objects.filter(slug__startswith=f"{base}-").count() + 1
    slug = f"{base}-{count}"
    return slug if not Run.objects.filter(slug=slug).exists() else f"{base}-{secrets.token_hex(3)}"


def launch(run: Run, alive: Callable[[], None] = lambda: None) -> None:
    """Take the run from draft to running, or to its end if a step fails or somebody asks. `alive` renews the lease."""

    def checkpoint() -> None:
        alive()
        run.refresh_from_db()
        if run.cancel_requested_at or run.end_requested_at:
            raise LaunchStopped
        if run.is_final or run.status == "stopping":
            raise LaunchStopped

    try:
        checkpoint()
        if run.status == "draft":
            run.move("preflight")
        if run.status == "preflight":
            run.enter_phase("preflight")
            _preflight(run)
            checkpoint()
            run.move("starting")
        run.enter_phase("services")
        urls = _services(run, checkpoint)
        run.enter_phase("bootstrap")
        bootstrap(run, spec_of(run), urls, checkpoint)
        checkpoint()
        start_workers(run, spec_of(run))
    except LaunchStopped:
        _give_up(run, "cancelled", "cancelled by a person while it was starting")
    except (LaunchFailed, BootstrapError, OSError, subprocess.SubprocessError) as problem:
        _give_up(run, "failed", str(problem))
    except Exception as problem:  # a fault of ours: the run must not be launched again every second
        log.exception("run %s could not be launched", run.slug)
        _give_up(run, "failed", f"internal error: {type(problem).__name__}: {problem}")


def _give_up(run: Run, outcome: str, reason: str) -> None:
    """Before `starting` nothing exists, so the run is over at once; after it the monitor takes everything down."""
    run.refresh_from_db()
    if run.status in {"draft", "preflight"}:
        run.finish(outcome, reason)
    else:
        run.stop(outcome, reason)


def _preflight(run: Run) -> None:
    backend_of(run).look(Path(settings.DATA_DIR))  # what is checked is what is there now
    bad = [check for check in preflight.check(spec_of(run)) if not check.ok]
    if bad:
        raise LaunchFailed("; ".join(f"{check.name}: {check.text}. {check.fix}".strip() for check in bad))


def _services(run: Run, checkpoint: Callable[[], None]) -> dict[str, str]:
    """Render the run folder, let the supervisor live, and wait until every service answers; gives their addresses."""
    spec, folder, task = spec_of(run), RunFolder.of(run.slug), find_task(run.task)
    if task is None:
        raise LaunchFailed(f"the task {run.task!r} is no longer installed")
    if not app_url():
        raise LaunchFailed("the address of this app is unknown; start it with manage.py up, or set AGENSH_URL")
    folder.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    _copy_task(folder, task.folder)
    for name in ("forge_admin", "chat_admin", "hook"):
        folder.secrets.ensure(name)
    here, standing = backend_of(run), _standing(run, spec, folder)
    ours = [name for name in service_names(spec) if name not in standing.real]
    for name in ours:
        if name == "board" and not (folder.service(name) / "tokens.json").exists():
            write_json(folder.service(name) / "tokens.json", {"workers": {}, "ingest": folder.secrets.ensure("board")})
        told = service_config(name, spec, folder.path, here.listening(folder.path, run.pk, name))
        if name == "model":
            told |= {"task_dir": str(_scripted_task(folder, task.folder)), "think_ms": task.think_ms}
        if name == "gateway":
            told |= gateways.config(spec, folder) | {"ingest_url": app_url()}
            gateways.write_tokens(folder, {n: worker_name(n) for n in range(1, spec.workers + 1)})
        write_json(folder.service(name) / "config.json", told)
    if not (folder.path / "plan.json").exists():
        services = standing.prepare(app_url(), ADMIN, spec.workers)
        services += [service_process(name, folder.path, here.environment(folder.service(name))) for name in ours]
        # The supervisor's own last resort, until the clock starts and the deadline is known.
        here.write_plan(folder.path, run.pk, services, int((time.time() + 900) * 1000))
        ran = provenance(
            task.folder, spec, PROMPT, here.ran(Path(settings.DATA_DIR), [*standing.names, *ours, "worker"])
        )
        run.provenance = {**run.provenance, **ran, "isolation": isolation(spec)}
        run.save(update_fields=["provenance"])
    here.ensure_supervisor(folder.path)
    return _wait_until_ready(run, folder, ours, standing, checkpoint)


def _standing(run: Run, spec: RunSpec, folder: RunFolder) -> Standing:
    """The real ones of the run's services: chosen once, since a run keeps what it was started with."""
    if "real" not in run.monitor:
        real = choosing.chosen(spec.backend, Path(settings.DATA_DIR))
        run.monitor["real"] = [name for name in real if name in service_names(spec)]
        run.save(update_fields=["monitor"])
    return Standing(backend_of(run), folder.path, run.pk, run.monitor["real"])


def _wait_until_ready(
    run: Run, folder: RunFolder, ours: list[str], standing: Standing, checkpoint: Callable[[], None]
) -> dict[str, str]:
    urls: dict[str, str] = {}
    names, limit = [*standing.names, *ours], REAL_READY_S if standing.real else READY_S
    end = time.monotonic() + limit
    while len(urls) < len(names):
        for name in names:
            if name in urls or (name in standing.names and not standing.answers(name)):
                continue
            if ready := read_json(folder.service(name) / "ready.json"):
                urls[name] = ready["url"]
                said = run.monitor.setdefault("services", {})
                if name not in said:
                    run.record("service.started", service=name)
                    said[name] = "up"
                    run.save(update_fields=["monitor"])
        if why := backend_of(run).fault(folder.path):
            raise LaunchFailed(why)
        if time.monotonic() > end:
            late = ", ".join(
                f"{n} ({tail(folder.service(n) / 'log.txt', 300).strip()})" for n in names if n not in urls
            )
            raise LaunchFailed(f"not ready after {limit} s: {late}")
        checkpoint()
        time.sleep(0.1)
    return urls


def _scripted_task(folder: RunFolder, source: Path) -> Path:
    """The whole task, solutions too, where the scripted model alone reads it: its container sees nothing of the app's folders."""
    place = folder.service("model") / "task"
    if not place.exists():
        half = folder.service("model") / ".task"
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(source, half, ignore=shutil.ignore_patterns("__pycache__"))
        half.rename(place)
    return place


def _copy_task(folder: RunFolder, source: Any) -> None:
    """The public part of the task only: its tests and solutions never come near a worker."""
    if folder.task.exists():
        return
    half = folder.path / ".task"
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    shutil.copy2(source / "task.yaml", half / "task.yaml")
    for name in ("docs", "reference"):
        if (source / name).is_dir():
            shutil.copytree(source / name, half / name)
    half.rename(folder.task)

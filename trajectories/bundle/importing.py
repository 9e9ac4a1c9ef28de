"""Import: through the same ingest as live data; streams, can be killed and goes on, loses nothing that can be read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from django.utils.text import slugify

from runs.models import Run, Status
from trajectories.bundle.layout import DAMAGED, Bundle
from trajectories.bundle.lines import Rejected
from trajectories.bundle.scouting import Scout
from trajectories.bundle.storing import Storing
from trajectories.events import millis
from trajectories.ingest.garbage import seldom_collected
from trajectories.ingest.store import Stored
from trajectories.models import Blob, EventRow, ImportJob, Stream
from trajectories.models.packing import pack

BLOB_BYTES = 64 << 20
Alive = Callable[[], bool]


class Paused(Exception):
    """The import was asked to stop; what it has stored stays, and the next one goes on from there."""


class Busy(ValueError):
    """Another process that is alive brings the same bundle in."""


@dataclass
class Imported:
    """What an import did: `--json` prints it."""

    run: str = ""
    stored: Stored = field(default_factory=Stored)
    rejections: list[dict[str, Any]] = field(default_factory=list)
    rejected_count: int = 0
    hash: str = ""

    def as_json(self) -> dict[str, Any]:
        """The counts, and the first hundred rejected lines."""
        counts = {"stored": self.stored.new, "duplicates": self.stored.duplicates, "events": self.stored.events}
        counts |= {"skipped": self.stored.skipped, "rejected": self.rejected_count}
        return {"run": self.run, **counts, "rejections": self.rejections, "hash": self.hash}


def import_bundle(
    path: Path,
    job: ImportJob | None = None,
    told: Callable[[ImportJob], None] = lambda job: None,
    goes_on: Alive = lambda: True,
) -> Imported:
    """Import a bundle, or go on with one that was interrupted. Raises BadBundle before the first write if its structure is wrong.

    `told(job)` hears how far it is; once `goes_on()` is False, Paused is raised at the next safe place. Raises Busy if somebody else is at it.
    """
    with seldom_collected():
        return _import(path, job, told, goes_on)


def _import(path: Path, job: ImportJob | None, told: Callable[[ImportJob], None], goes_on: Alive) -> Imported:
    # Here, because with them comes numpy, and a process that only reads ahead would take twice as long to begin.
    from trajectories import indexes
    from trajectories.briefing import keep
    from trajectories.derive import settle
    from trajectories.derive.alongside import Alongside

    with ExitStack() as held:
        bundle = held.enter_context(closing(Bundle(path)))
        job = _job(bundle, path, job)
        run = _run(bundle.manifest)
        job.tell(run=run, phase=ImportJob.Phase.STORING)
        other = held.enter_context(Alongside(run.pk, sum(map(bundle.size, bundle.names))))
        scout = Scout(path) if other.sure else None
        held.callback(lambda: scout and scout.leave())
        storing = Storing(
            run.pk,
            bundle,
            job,
            lambda: _step(job, told, goes_on),
            lambda told, read: other.stored(told, scout.nothing_before(read) if scout else None),
        )
        storing.all_sources()
        for each in _blobs(bundle, run):
            storing.reject(each)
        storing.keep()
        of = Stream.of(run.pk).n
        if not Stream.of(run.pk).settled:
            job.tell(phase=ImportJob.Phase.DERIVING, done=0, total=of)
            told(job)
            if not other.finish(lambda done: _derived(job, done, of, told, goes_on)):
                settle(run.pk, told=lambda done, of: _derived(job, done, of, told, goes_on))
    # From here on the run can be opened: a search that finds no index reads the events themselves.
    if run.status == Status.IMPORTING:
        Run.objects.filter(pk=run.pk).update(status=Status.ENDED, ended_at=run.ended_at or _last_heard(run))
    indexes.finish(run.pk)
    job.tell(phase=ImportJob.Phase.DONE, done=job.total, holder="", lines={})
    told(job)
    keep(run.pk)
    return Imported(run.slug, storing.stored, job.rejections, job.counts["rejected"], Stream.of(run.pk).settled_hash)


def _last_heard(run: Run) -> datetime | None:
    """When the newest event was, for a run whose bundle does not say when it ended; None if it never started."""
    last = EventRow.objects.filter(run_id=run.pk).order_by("-at").values_list("at", flat=True).first()
    return datetime.fromtimestamp(last / 1000, UTC) if last is not None and run.started_at is not None else None


def _step(job: ImportJob, told: Callable[[ImportJob], None], goes_on: Alive) -> None:
    told(job)
    if not goes_on():
        job.tell(holder="")
        raise Paused


def _derived(job: ImportJob, done: int, of: int, told: Callable[[ImportJob], None], goes_on: Alive) -> None:
    job.tell(done=done, total=of)
    _step(job, told, goes_on)


def _job(bundle: Bundle, path: Path, job: ImportJob | None) -> ImportJob:
    """The job to write progress into: the one given, else that of an interrupted import of the same file, else a new one."""
    file = bundle.fingerprint()
    found = (
        job or ImportJob.objects.filter(file=file, ours=False).exclude(phase__in=ImportJob.OVER).order_by("-pk").first()
    )
    found = found or ImportJob.objects.create(name=path.name[:200], path=str(path.resolve())[:500])
    if not found.take():
        raise Busy(f"{path.name} is being imported by another process ({found.holder})")
    if found.file != file:  # the first time, or the file is another one now: lines read of the old one say nothing
        found.tell(file=file, lines={}, counts={}, rejections=[])
    return found


def _run(manifest: dict[str, Any]) -> Run:
    """The run of this bundle: the one an earlier import of it made, else a new one."""
    identity = hashlib.sha256(orjson.dumps(manifest, option=orjson.OPT_SORT_KEYS)).hexdigest()
    for run in Run.objects.filter(provenance__bundle=identity):
        return run
    spec = manifest["run"]
    wanted = slugify(str(spec.get("slug") or spec.get("name") or "run"))[:70].strip("-") or "run"
    slug, k = wanted, 1
    while Run.objects.filter(slug=slug).exists():
        k += 1
        slug = f"{wanted}-{k}"
    times = {name: _moment(manifest.get(name)) for name in ("started_at", "ended_at")}
    origin = "simulated" if manifest["origin"] == "simulated" else "imported"
    return Run.objects.create(
        slug=slug,
        name=str(spec.get("name") or slug)[:120],
        status=Status.IMPORTING,
        origin=origin,
        scripted=manifest["scripted"],
        task=str(spec.get("task") or "")[:80],
        group=str(spec.get("group") or "")[:80],
        spec=spec,
        outcome=str(manifest.get("outcome") or "ended")[:24],
        provenance={**manifest.get("provenance", {}), "bundle": identity},
        **times,
    )


def _blobs(bundle: Bundle, run: Run) -> list[Rejected]:
    """Store the cut strings; those whose bytes are not what their name says are told."""
    wrong = []
    for name in bundle.names:
        if not name.startswith("blobs/"):
            continue
        try:
            with bundle.open(name) as file:
                body = file.read(BLOB_BYTES + 1)
        except DAMAGED as problem:
            wrong.append(Rejected(name, 1, f"it is damaged: {problem}"[:200]))
            continue
        sha = name.removeprefix("blobs/")
        if len(body) > BLOB_BYTES or hashlib.sha256(body).hexdigest() != sha:
            wrong.append(Rejected(name, 1, "its bytes do not have this SHA-256"))
            continue
        Blob.objects.get_or_create(run=run, sha256=sha, defaults={"bytes": len(body), "body": pack(body)})
    return wrong


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromtimestamp(millis(text) / 1000, UTC)

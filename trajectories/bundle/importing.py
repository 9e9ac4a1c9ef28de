"""Import: through the same ingest as live data; streams, can be repeated and resumed, loses nothing that can be read."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
from django.utils.text import slugify

from runs.models import Run, Status
from trajectories.bundle.layout import Bundle
from trajectories.bundle.lines import Rejected, lines
from trajectories.derive import settle
from trajectories.events import RANKS, millis
from trajectories.ingest.incoming import Incoming
from trajectories.ingest.store import Stored, store
from trajectories.models import Blob, Stream
from trajectories.models.packing import pack

LISTED = 100
BATCH = 1_000
BLOB_BYTES = 64 << 20


@dataclass
class Imported:
    """What an import did: `--json` prints it."""

    run: str = ""
    stored: Stored = field(default_factory=Stored)
    rejected: list[Rejected] = field(default_factory=list)
    rejected_count: int = 0
    hash: str = ""

    def as_json(self) -> dict[str, Any]:
        """The counts, and the first hundred rejected lines."""
        listed = [{"source": r.source, "line": r.line, "reason": r.reason} for r in self.rejected]
        counts = {"stored": self.stored.new, "duplicates": self.stored.duplicates, "events": self.stored.events}
        counts |= {"skipped": self.stored.skipped, "rejected": self.rejected_count}
        return {"run": self.run, **counts, "rejections": listed, "hash": self.hash}

    def reject(self, line: Rejected) -> None:
        """Count it; list the first hundred."""
        self.rejected_count += 1
        if len(self.rejected) < LISTED:
            self.rejected.append(line)


def import_bundle(path: Path) -> Imported:
    """Import a bundle. Raises BadBundle before the first write if its structure is wrong."""
    bundle = Bundle(path)
    try:
        run = _run(bundle.manifest)
        done = Imported(run=run.slug)
        _deliveries(bundle, run, done)
        _blobs(bundle, run, done)
    finally:
        bundle.close()
    stream = Stream.of(run.pk)
    if not stream.settled:
        settle(run.pk)
    done.hash = Stream.of(run.pk).settled_hash
    if run.status == Status.IMPORTING:
        Run.objects.filter(pk=run.pk).update(status=Status.ENDED)
    return done


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


def _deliveries(bundle: Bundle, run: Run, done: Imported) -> None:
    """All sources together in order of receipt, so that arrival numbers tell the story as it was heard."""
    files = {source: bundle.open(f"deliveries/{source}.jsonl") for source in bundle.sources}
    try:
        streams = [_sound(source, lines(source, file), done) for source, file in files.items()]
        merged = heapq.merge(*streams, key=lambda pair: (pair[1].received_at, RANKS[pair[0]]))
        while batch := list(islice(merged, BATCH)):
            for source in files:
                mine = [delivery for name, delivery in batch if name == source]
                done.stored.add(store(run.pk, source, mine, fixed=True))
    finally:
        for file in files.values():
            file.close()


def _sound(source: str, found: Iterator[Incoming | Rejected], done: Imported) -> Iterator[tuple[str, Incoming]]:
    for line in found:
        if isinstance(line, Rejected):
            done.reject(line)
        else:
            yield source, line


def _blobs(bundle: Bundle, run: Run, done: Imported) -> None:
    for name in bundle.names:
        if not name.startswith("blobs/"):
            continue
        with bundle.open(name) as file:
            body = file.read(BLOB_BYTES + 1)
        sha = name.removeprefix("blobs/")
        if len(body) > BLOB_BYTES or hashlib.sha256(body).hexdigest() != sha:
            done.reject(Rejected(name, 1, "its bytes do not have this SHA-256"))
            continue
        Blob.objects.get_or_create(run=run, sha256=sha, defaults={"bytes": len(body), "body": pack(body)})


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromtimestamp(millis(text) / 1000, UTC)

"""Imports of a bundle with and without another process that folds: `python -m tests.trajectories.alongside BUNDLE LATE FOREIGN` prints what became of each.

LATE is the same team, but one of its notes is told at the very end; FOREIGN the same with that line written as nobody of ours writes it. On a database of its own, because another process must be able to see it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any


def main(bundle: Path, late: Path, foreign: Path) -> None:
    """`{"plain": .., "alongside": .., "plain_late": .., "late": .., "foreign": .., "dead": ..}`: digests of all that is stored, and whether the other settled it."""
    import django

    django.setup()
    from django.core.management import call_command

    from trajectories import processes
    from trajectories.bundle import storing
    from trajectories.derive import alongside

    call_command("migrate", verbosity=0)
    storing.BATCH = 50  # so that the other is told of it while there is more to store
    begin, times = processes.START, alongside.TIMES
    found = {}
    for name, path, size in (
        ("plain", bundle, 1 << 60),
        ("alongside", bundle, 0),
        ("plain_late", late, 1 << 60),
        ("late", late, 0),
        ("foreign", foreign, 0),
        ("dead", bundle, 0),
    ):
        alongside.FROM_BYTES = size
        alongside.TIMES = 0 if name == "foreign" else times
        processes.START = "raise SystemExit(1)" if name == "dead" else begin
        found[name] = _imported(path)
    print(json.dumps(found))


def _imported(bundle: Path) -> dict[str, Any]:
    from runs.models import Run
    from trajectories import models
    from trajectories.bundle import import_bundle
    from trajectories.derive.alongside import Alongside

    settled: list[bool] = []
    finish = Alongside.finish

    def finished(self: Alongside, told: Any) -> bool:
        settled.append(finish(self, told))
        return settled[-1]

    Alongside.finish = finished  # type: ignore[method-assign]
    try:
        done = import_bundle(bundle)
    finally:
        Alongside.finish = finish  # type: ignore[method-assign]
    run = Run.objects.get(slug=done.run)
    generation = models.Stream.of(run.pk).generation
    told = {
        "EventRow": ("n", "source", "key", "part", "fields"),
        "Pack": ("n", "last_n", "body"),
        "ChangePack": ("c", "last_c", "at", "last_at", "body"),
        "Keyframe": ("c", "n", "at", "snapshot"),
        "Segment": ("k", "rows", "etag", "body"),
        "Tile": ("name", "etag"),
    }
    digests = {}
    for name, columns in told.items():
        rows = getattr(models, name).objects.filter(run=run).order_by(columns[0]).values_list(*columns)
        digests[name] = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
    models.ImportJob.objects.filter(run=run).delete()
    run.delete()
    return {"by_the_other": settled == [True], "generation": generation, "hash": done.hash, "digests": digests}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))

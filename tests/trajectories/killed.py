"""Imports that are killed: `python -m tests.trajectories.killed BUNDLE FOLDER KILLS SEED` prints what became of each as JSON.

Every import runs in a process forked from this one, on a database of its own (SQLite) or one after the other in the same (PostgreSQL).
It is killed with SIGKILL at a random one of the moments at which something is written or committed; another process then imports the
bundle again, and its hash is printed beside that of an import that nobody disturbed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(bundle: Path, folder: Path, kills: int, seed: int) -> None:
    """Print `{"hash", "moments", "killed": [{"moment", "phase", "hash", "rejected", "stored"}, ..]}`."""
    import django

    django.setup()
    from django.core.management import call_command

    template = folder / "template.sqlite3"
    _use(template)
    call_command("migrate", verbosity=0)
    _leave()
    shutil.copy(template, folder / "whole.sqlite3") if template.exists() else None
    whole = _apart(lambda: _import(bundle, None), folder, folder / "whole.sqlite3")
    _apart(_clear, folder, folder / "whole.sqlite3")
    chance = random.Random(seed)
    # Every fourth with another process that folds while this one stores; storing is then nearly all that this one does.
    found = [
        _killed(bundle, folder, template, chance.randint(1, whole["moments"]), alongside=k % 4 == 0)
        for k in range(kills)
    ]
    print(json.dumps({**whole, "killed": found}))


def _killed(bundle: Path, folder: Path, template: Path, moment: int, alongside: bool) -> dict[str, Any]:
    database = folder / "own.sqlite3"
    shutil.copy(template, database) if template.exists() else None
    before = _apart(lambda: _import(bundle, moment, alongside), folder, database)
    # With less to do of its own it may be done before that moment comes.
    assert before == {} or alongside, "it should have been killed"
    phase = _apart(_phase, folder, database)
    after = _apart(lambda: _import(bundle, None), folder, database)
    _apart(_clear, folder, database)
    for each in folder.glob("own.sqlite3*"):
        each.unlink()
    return {
        "moment": moment,
        "alongside": alongside,
        **phase,
        **{name: after[name] for name in ("hash", "rejected", "events", "n")},
    }


def _apart(work: Callable[[], dict[str, Any]], folder: Path, database: Path) -> dict[str, Any]:
    """What `work` answers in a process of its own; nothing if that was killed."""
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            _use(database)
            answer.write_text(json.dumps(work()))
            os._exit(0)
        except BaseException as problem:
            print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return {}
    assert status == 0, f"the import ended with {status}"
    return dict(json.loads(answer.read_text()))


def _import(bundle: Path, kill_at: int | None, beside: bool = False) -> dict[str, Any]:
    from django.db.backends.base.base import BaseDatabaseWrapper

    from trajectories.bundle import import_bundle
    from trajectories.derive import alongside
    from trajectories.ingest import bulk
    from trajectories.models import Stream

    passed = 0

    def moment() -> None:
        nonlocal passed
        passed += 1
        if passed == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    insert, commit = bulk.insert, BaseDatabaseWrapper._commit

    def inserted(model: type, rows: Any) -> None:
        insert(model, rows)
        moment()

    def committed(self: Any) -> None:
        moment()
        commit(self)
        moment()

    bulk.insert, BaseDatabaseWrapper._commit = inserted, committed
    alongside.FROM_BYTES = 0 if beside else 1 << 60
    try:
        done = import_bundle(bundle).as_json()
    finally:
        bulk.insert, BaseDatabaseWrapper._commit = insert, commit
    return {**done, "moments": passed, "n": Stream.objects.get().n}


def _phase() -> dict[str, Any]:
    from trajectories.models import ImportJob

    job = ImportJob.objects.order_by("-pk").first()
    return {"phase": job.phase if job else "not begun"}


def _clear() -> dict[str, Any]:
    from runs.models import Run
    from trajectories.models import ImportJob

    ImportJob.objects.all().delete()
    Run.objects.all().delete()
    return {}


def _use(database: Path) -> None:
    from django.db import connection, connections

    if connection.vendor == "sqlite":
        for settings in (connections.databases["default"], connection.settings_dict):
            settings["NAME"] = str(database)


def _leave() -> None:
    from django.db import connections

    connections.close_all()
    if hasattr(connections["default"], "close_pool"):
        connections["default"].close_pool()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))

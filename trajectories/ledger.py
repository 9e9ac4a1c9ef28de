"""The ledger of a run: what its outboxes hold against what is stored, source by source. Lost 0 and doubled 0 is the promise.

It reads the outboxes by itself, not through the code that ingests them, so that the two can be compared.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from runs.models import Run
from trajectories.models import Delivery
from trajectories.models.packing import unpack


def ledger(run: Run, folder: Path) -> dict[str, dict[str, Any]]:
    """Per source: counts and hashes of ids on both sides, how many were lost and doubled, and the first few of them.

    `extra` = stored and no longer in the outbox, which only edits and sweeps may cause.
    """
    said = {
        "run": [str(n) for n in run.run_events.values_list("n", flat=True)],
        "board": _rows(folder / "services/board/board.db", "SELECT seq FROM log"),
        "mattermost": _posts(folder / "services/chat/chat.db"),
        "gitea": _rows(folder / "services/forge/forge.db", "SELECT uuid FROM hook_task"),
        "gateway": _rows(folder / "services/gateway/gateway.db", "SELECT n FROM ledger"),
        "acp": list(_spooled(folder / "workers")),
    }
    stored = {name: list(_stored(run, name)) for name in said}
    return {name: _compare(said[name], stored[name]) for name in said}


def _compare(said: list[str], stored: list[str]) -> dict[str, Any]:
    held, told = Counter(stored), set(said)
    lost = sorted(told - held.keys())
    doubled = sorted(name for name, count in held.items() if count > 1)
    extra = sorted(held.keys() - told)
    return {
        "outbox": len(told),
        "stored": len(held),
        "lost": len(lost),
        "doubled": len(doubled),
        "extra": len(extra),
        "outbox_sha256": _hash(told),
        "stored_sha256": _hash(held.keys() & told),
        "examples": {"lost": lost[:5], "doubled": doubled[:5], "extra": extra[:5]},
    }


def _hash(ids: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def _rows(file: Path, sql: str) -> list[str]:
    if not file.exists():
        return []
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as db:
        return ["~".join(str(value) for value in row) for row in db.execute(sql)]


def _posts(file: Path) -> list[str]:
    """Versions of posts and reactions as they are now; edit history (`originalid`) is a delivery like any other."""
    posts = _rows(file, "SELECT id || '@' || max(createat, editat, deleteat) FROM posts")
    reactions = _rows(file, "SELECT postid, userid, replace(emojiname, '+', '~2B') || '@' || updateat FROM reactions")
    return posts + reactions


def _spooled(workers: Path) -> Iterable[str]:
    """`{worker}-{life}-{n}` of every whole line in every spool."""
    for file in sorted(workers.glob("*/spool/*.jsonl")):
        number = int(json.loads((file.parent.parent / "worker.json").read_text())["worker"])
        with file.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    yield f"{number}-{int(file.stem)}-{json.loads(line)['n']}"


def _stored(run: Run, source: str) -> Iterable[str]:
    rows = Delivery.objects.filter(run=run, source=source)
    if source != "acp":
        for name in rows.values_list("delivery", flat=True).iterator():
            if not (source == "gitea" and name.startswith(("pull-", "refs-"))):
                yield name
        return
    for name, body in rows.values_list("delivery", "body").iterator():
        worker, life = name.split("-")[:2]
        for item in json.loads(unpack(body))["items"]:
            yield f"{worker}-{life}-{item['n']}"

"""The ledger of a run: what its outboxes hold against what is stored, source by source. Lost 0 and doubled 0 is the promise.

It reads the outboxes by itself, not through the code that ingests them, so that the two can be compared. The database of real
services goes with their stack: what it held is written down when the listener has read it to its end.
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
from urllib.parse import quote

from runs.backends.files import read_json, write_json
from runs.models import Run
from trajectories.models import Delivery, now_ms
from trajectories.models.packing import unpack
from trajectories.sources.outbox import OutboxUnread, reading

COUNTED = ("outbox", "stored", "lost", "doubled")
KEPT = "outboxes.json"  # in the run folder: ids that a database held which is no longer there
# Each post and reaction in every version its rows tell of (trajectories/sources/mattermost/versions.py), said again in SQL.
_POSTS = (
    "SELECT CASE WHEN originalid <> '' THEN originalid ELSE id END AS post, "
    "CASE WHEN createat > editat THEN createat ELSE editat END AS at FROM posts",
    "SELECT id AS post, deleteat AS at FROM posts WHERE originalid = '' AND deleteat > 0",
)
_REACTIONS = (
    "SELECT postid, userid, emojiname, updateat AS at FROM reactions",
    "SELECT postid, userid, emojiname, createat AS at FROM reactions WHERE createat > 0",
)


def ledger(run: Run, folder: Path) -> dict[str, dict[str, Any]]:
    """Per source: counts and hashes of ids on both sides, how many were lost and doubled, and the first few of them.

    `extra` = stored and no longer in the outbox, which only edits and sweeps may cause.
    """
    said = {
        "run": [str(n) for n in run.run_events.values_list("n", flat=True)],
        "board": _rows(folder / "services/board/board.db", "SELECT seq FROM log"),
        "mattermost": _held(run, folder, "mattermost"),
        "gitea": _held(run, folder, "gitea"),
        "gateway": _rows(folder / "services/gateway/gateway.db", "SELECT n FROM ledger"),
        "acp": list(_spooled(folder / "workers")),
    }
    stored = {name: list(_stored(run, name)) for name in said}
    return {name: _compare(said[name], stored[name]) for name in said}


def count(run: Run, folder: Path) -> None:
    """Hold what the run's sources said against what is stored, once it is over, and write the answer into its provenance as `counted`:
    `{"at": ms, "sources": {name: {"outbox", "stored", "lost", "doubled"}}}`, or `{"at", "why"}` where it cannot be counted."""
    if not folder.exists():
        return
    told: dict[str, Any] = {"at": now_ms()}
    try:
        found = ledger(run, folder)
        told["sources"] = {name: {word: row[word] for word in COUNTED} for name, row in found.items()}
    except (OutboxUnread, OSError, sqlite3.Error) as problem:
        told["why"] = str(problem)[:300]
    with run.locked():
        run.provenance = {**run.provenance, "counted": told}
        run.save(update_fields=["provenance"])


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


def keep(run: Run, folder: Path) -> None:
    """Write down what the databases of the run's real services hold, while they are there. Read by the ledger ever after."""
    held = {name: _read(dsn, name) for name in ("mattermost", "gitea") if (dsn := _database(run, name))}
    if held:
        write_json(folder / KEPT, held)


def _held(run: Run, folder: Path, source: str) -> list[str]:
    """Ids in the outbox of forge or chat. Raises OutboxUnread where it is gone and nobody wrote down what it held."""
    place = {"mattermost": "chat", "gitea": "forge"}[source]
    if not (dsn := _database(run, source)):
        file = folder / "services" / place / f"{place}.db"
        return _read(f"sqlite:///{file}", source) if file.exists() else []
    try:
        return _read(dsn, source)
    except OutboxUnread:
        kept = (read_json(folder / KEPT) or {}).get(source)
        if kept is None:
            raise
        return list(kept)


def _database(run: Run, source: str) -> str:
    """The DSN of a real service's database; empty for a stand-in."""
    place = (run.endpoints or {}).get({"mattermost": "chat", "gitea": "forge"}[source]) or {}
    dsn = str(place.get("outbox") or "")
    return dsn if dsn.startswith("postgres") else ""


def _read(dsn: str, source: str) -> list[str]:
    with reading(dsn) as box:
        if source == "gitea":
            return [row["uuid"] for row in box.rows("SELECT uuid FROM hook_task")]
        posts = [f"{row['post']}@{row['at']}" for sql in _POSTS for row in box.rows(sql)]
        reactions = [row for sql in _REACTIONS for row in box.rows(sql)]
    return sorted({*posts, *(f"{r['postid']}~{r['userid']}~{_plain(r['emojiname'])}@{r['at']}" for r in reactions)})


def _plain(emoji: str) -> str:
    return quote(emoji, safe="").replace("~", "~7E").replace("%", "~")


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

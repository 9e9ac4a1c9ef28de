"""Search within a transcript: whole texts, arguments and outputs, a stretch at a time so that no request takes long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from trajectories.transcripts.heard import ends
from trajectories.transcripts.pages import page

STRETCH = 300
BUDGET_S = 0.3  # of this thread's own work
HITS = 200
AROUND = 60


def find(run_id: int, worker: int, words: str, after: tuple[int, int]) -> dict[str, Any]:
    """`{"hits": [{"id", "t", "kind", "before", "hit", "behind"}], "next": [life, item] or None}`.

    Looks from item `after` (life, n) on until its time is used up; go on from `next`. Case makes no difference.
    """
    wanted = words.casefold()
    hits: list[dict[str, Any]] = []
    until = time.thread_time() + BUDGET_S
    for life, first, last in _stretches(ends(run_id, worker), after):
        if time.thread_time() > until or len(hits) >= HITS:
            return {"hits": hits, "next": [life, first]}
        for row in page(run_id, worker, life, first, last, clip=None):
            found = next((text for text in texts_in(row) if wanted in text.casefold()), None)
            if found is not None:
                hits.append({"id": row["id"], "t": row["t"], "kind": row["kind"], **_around(found, wanted)})
    return {"hits": hits, "next": None}


def _stretches(lives: dict[int, int], after: tuple[int, int]) -> Iterator[tuple[int, int, int]]:
    for life, end in sorted(lives.items()):
        first = after[1] if life == after[0] else 1
        if life < after[0]:
            continue
        for start in range(first, end + 1, STRETCH):
            yield life, start, min(end, start + STRETCH - 1)


def texts_in(value: Any) -> Iterator[str]:
    """Every text an entry shows."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            if name not in ("id", "kind", "type", "sha256", "what"):
                yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def _around(text: str, wanted: str) -> dict[str, str]:
    """The words around the first hit. Folding case may change a text's length: then the hit is looked for a little around."""
    at = text.casefold().find(wanted)
    if len(text.casefold()) != len(text):
        at = next((k for k in range(len(text)) if text[k : k + len(wanted)].casefold().startswith(wanted[:1])), 0)
    end = at + len(wanted)
    return {"before": text[max(0, at - AROUND) : at], "hit": text[at:end], "behind": text[end : end + AROUND]}

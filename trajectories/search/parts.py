"""A few thousand documents in one row: packed to be scanned at once, each different text kept once. Pure but for numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from trajectories.models.packing import pack, unpack
from trajectories.search.documents import KINDS, Document
from trajectories.search.folding import fold
from trajectories.search.grams import signature

SIZE = 8_192  # documents of a full part
_BETWEEN = "\x00"  # never in a folded text
_COLUMNS = (("n", "<i8"), ("at", "<i8"), ("who", "<i4"), ("text", "<u4"), ("kind", "u1"))


@dataclass(frozen=True, slots=True)
class Part:
    """Documents as columns, in order of arrival. `who` = worker, or -(k + 1) for `actors[k]`; `text` = which of the texts.

    `blob` = the folded texts with a NUL after each, UTF-8; `starts[i]` = where text i begins.
    """

    n: NDArray[np.int64]
    at: NDArray[np.int64]
    who: NDArray[np.int32]
    text: NDArray[np.uint32]
    kind: NDArray[np.uint8]
    actors: list[str]
    blob: bytes
    starts: NDArray[np.int64]

    def folded(self, i: int) -> str:
        """Text i."""
        end = self.blob.index(b"\x00", int(self.starts[i]))
        return self.blob[int(self.starts[i]) : end].decode()


def columns(documents: Sequence[Document]) -> tuple[Part, list[str]]:
    """The part that these documents make, and its texts as people read them."""
    texts: dict[str, int] = {}
    actors: dict[str, int] = {}
    rows = []
    for doc in documents:
        known = texts.setdefault(doc.text, len(texts))
        who = doc.worker if doc.worker or not doc.actor else -1 - actors.setdefault(doc.actor, len(actors))
        rows.append((doc.n, doc.at, who, known, KINDS.index(doc.kind)))
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 5)
    folded = [fold(text).encode() for text in texts]
    lengths = np.array([len(each) + 1 for each in folded], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if folded else np.zeros(0, dtype=np.int64)
    cast = {name: table[:, k].astype(kind) for k, (name, kind) in enumerate(_COLUMNS)}
    blob = b"".join(each + b"\x00" for each in folded)
    return Part(**cast, actors=list(actors), blob=blob, starts=starts.astype(np.int64)), list(texts)  # type: ignore[arg-type]


def packed(documents: Sequence[Document]) -> dict[str, Any]:
    """`grams`, `body` and `shown` of a row."""
    part, texts = columns(documents)
    head = orjson.dumps({"rows": len(part.n), "actors": part.actors})
    body = b"".join(
        [len(head).to_bytes(4, "little"), head, *(getattr(part, name).tobytes() for name, _ in _COLUMNS), part.blob]
    )
    grams = signature(part.blob.decode())
    return {"grams": pack(grams), "body": pack(body), "shown": pack(orjson.dumps(texts))}


def unpacked(body: bytes | memoryview) -> Part:
    """The part of a row's `body`."""
    raw = unpack(body)
    start = 4 + int.from_bytes(raw[:4], "little")
    head = orjson.loads(raw[4:start])
    cast: dict[str, Any] = {}
    for name, kind in _COLUMNS:
        cast[name] = np.frombuffer(raw, dtype=kind, count=head["rows"], offset=start)
        start += head["rows"] * np.dtype(kind).itemsize
    blob = raw[start:]
    ends = np.flatnonzero(np.frombuffer(blob, dtype=np.uint8) == 0)
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else np.zeros(0)
    return Part(**cast, actors=head["actors"], blob=blob, starts=starts.astype(np.int64))

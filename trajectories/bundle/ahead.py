"""A big bundle is read ahead by processes of their own: they inflate, parse and compress, the import numbers and writes.

Each takes sources, or every so-manieth line of one, and tells what it made of them in frames of `marshal`, in the order of the lines.
One that dies ends the import as a crash would: the next goes on from what is stored.
"""

from __future__ import annotations

import heapq
import marshal
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

from trajectories.bundle.layout import Bundle
from trajectories.bundle.lines import Line, Rejected, lines
from trajectories.events import RANKS
from trajectories.ingest.garbage import seldom_collected
from trajectories.ingest.prepared import Prepared, prepare
from trajectories.processes import end, start

FROM_BYTES = 24 << 20  # of a share, inflated: less is read in the process that writes, before another has begun
ACP_HANDS = 2
FRAME = 50
NICE = 8  # the fold alongside takes longest, so it goes before what feeds it
_LENGTH = struct.Struct("<I")


class Told(NamedTuple):
    """A line of a source: what is to be stored of it, or why it cannot be."""

    source: str
    line: Line
    each: Prepared | Rejected


@contextmanager
def told(bundle: Bundle, after: dict[str, int]) -> Iterator[Iterator[Told]]:
    """All sources together in order of receipt, each in the order of its lines, those after the line that `after` says."""
    sizes = {source: bundle.size(f"deliveries/{source}.jsonl") for source in bundle.sources}
    other = [source for source in bundle.sources if source != "acp"]
    with ExitStack() as held:
        streams: list[Iterator[Told]] = []
        if sizes.get("acp", 0) > FROM_BYTES:
            shares = [_elsewhere(held, bundle, ["acp"], after, ACP_HANDS, hand) for hand in range(ACP_HANDS)]
            streams.append(heapq.merge(*shares, key=lambda each: each.line.number))
        elif "acp" in sizes:
            streams.append(_read(held, bundle, "acp", after))
        if sum(sizes[source] for source in other) > FROM_BYTES:
            streams.append(_elsewhere(held, bundle, other, after))
        else:
            streams += [_read(held, bundle, source, after) for source in other]
        yield _merged(streams)


def _read(
    held: ExitStack, bundle: Bundle, source: str, after: dict[str, int], hands: int = 1, hand: int = 0
) -> Iterator[Told]:
    file = held.enter_context(bundle.open(f"deliveries/{source}.jsonl"))
    for line, each in lines(source, file, after.get(source, 0), hands, hand):
        yield Told(source, line, each if isinstance(each, Rejected) else prepare(source, each))


def _merged(streams: Sequence[Iterator[Told]]) -> Iterator[Told]:
    """By time of receipt. A line that cannot be stored has none: it stays before the next of its stream."""
    if len(streams) == 1:
        return streams[0]
    return (each for group in heapq.merge(*map(_groups, streams), key=_received) for each in group)


def _groups(stream: Iterator[Told]) -> Iterator[list[Told]]:
    group: list[Told] = []
    for each in stream:
        group.append(each)
        if isinstance(each.each, Prepared):
            yield group
            group = []
    if group:
        yield group


def _received(group: list[Told]) -> tuple[int, int]:
    last = group[-1]
    return (last.each.received_at if isinstance(last.each, Prepared) else 1 << 62, RANKS[last.source])


def _elsewhere(
    held: ExitStack, bundle: Bundle, sources: list[str], after: dict[str, int], hands: int = 1, hand: int = 0
) -> Iterator[Told]:
    """The same from a process of its own, begun at once."""
    given = [str(bundle.path.resolve()), str(hands), str(hand), *(f"{name}:{after.get(name, 0)}" for name in sources)]
    process = start(__name__, *given)
    held.callback(end, process)
    return _heard(process)


def _heard(process: subprocess.Popen[bytes]) -> Iterator[Told]:
    assert process.stdout is not None
    while size := _LENGTH.unpack(_exactly(process.stdout, 4))[0]:
        for source, line, values in marshal.loads(_exactly(process.stdout, size)):  # noqa: S302 - our own process's
            whole = len(values) == len(Prepared._fields)
            yield Told(source, Line(*line), Prepared._make(values) if whole else Rejected(*values))


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    found = pipe.read(size)
    if len(found) < size:
        raise RuntimeError("a process that read the bundle ended before it was done")
    return found


def main(path: str, hands: str, hand: str, *named: str) -> None:
    """The bundle, how many hands, which of them, `source:after` ..; frames go to standard output, an empty one at the end."""
    os.nice(NICE)
    bundle, out = Bundle(Path(path)), sys.stdout.buffer
    after = {name: int(number) for name, _, number in (each.partition(":") for each in named)}
    try:
        with seldom_collected(), ExitStack() as held:
            found = _merged([_read(held, bundle, source, after, int(hands), int(hand)) for source in after])
            while frame := list(islice(found, FRAME)):
                data = marshal.dumps([(each.source, tuple(each.line), _plain(each.each)) for each in frame])
                out.write(_LENGTH.pack(len(data)) + data)
                out.flush()
            out.write(_LENGTH.pack(0))
            out.flush()
    except BrokenPipeError:  # whoever imports is gone or has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _plain(each: Prepared | Rejected) -> tuple[Any, ...]:
    return (each.source, each.line, each.reason) if isinstance(each, Rejected) else tuple(each)

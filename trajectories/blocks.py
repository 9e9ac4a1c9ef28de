"""A long table of a settled run as compressed blocks of rows, a twentieth of what its rows take in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Any

import orjson

from trajectories.models.packing import BLOCK, Blocks

Row = Mapping[str, Any]
LATELY = 48  # blocks of a table that are held as text


class Rows(Mapping[Any, Row]):
    """A long table that nobody changes any more, read when a row of it is asked for.

    A row's neighbours are mostly asked for next: the blocks read last are held as text.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.place = {key: k for k, key in enumerate(blocks.keys)}
        self.lately: OrderedDict[int, list[bytes]] = OrderedDict()
        self.guard = threading.Lock()

    def __getitem__(self, key: Any) -> Row:
        block, k = divmod(self.place[key], BLOCK)
        return orjson.loads(self._lines(block)[k])  # type: ignore[no-any-return]

    def _lines(self, block: int) -> list[bytes]:
        with self.guard:
            found = self.lately.pop(block, None)
            self.lately[block] = found = found or self.blocks.lines(block)
            if len(self.lately) > LATELY:
                self.lately.popitem(last=False)
            return found

    def every(self) -> Iterator[Row]:
        """Each row in turn, and only one block at a time."""
        for block in self.blocks.packed:
            yield from self.blocks.rows([block])

    def laid(self) -> dict[Any, Row]:
        """All of them at once in memory."""
        return dict(zip(self.place, self.blocks.rows(), strict=True))

    def __contains__(self, key: object) -> bool:
        return key in self.place

    def __iter__(self) -> Iterator[Any]:
        return iter(self.place)

    def __len__(self) -> int:
        return len(self.place)

    def values(self) -> ValuesView[Row]:
        return _Values(self)

    def items(self) -> ItemsView[Any, Row]:
        return _Items(self)


class _Values(ValuesView[Row]):
    """Every row, read on the way."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.rows = rows

    def __iter__(self) -> Iterator[Row]:
        return self.rows.every()


class _Items(ItemsView[Any, Row]):
    """Every key with its row, read on the way."""

    def __init__(self, rows: Rows) -> None:
        super().__init__(rows)
        self.rows = rows

    def __iter__(self) -> Iterator[tuple[Any, Row]]:
        return zip(self.rows.place, self.rows.every(), strict=True)

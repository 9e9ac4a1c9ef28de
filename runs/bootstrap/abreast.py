"""The same small step for many names, a few at a time, in any order: what accounts on forge and chat are made by."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Found = TypeVar("Found")
Progress = Callable[[int, int], None]


def each(ensure: Callable[[str], Found], names: Collection[str], progress: Progress, at_once: int) -> dict[str, Found]:
    """What `ensure` gives for every name. `progress(done, of)` is called on this thread after each.

    The first fault, or whatever `progress` raises, ends the work once the steps under way are through.
    """
    found: dict[str, Found] = {}
    with ThreadPoolExecutor(at_once, thread_name_prefix="bootstrap") as pool:
        asked = {pool.submit(ensure, name): name for name in names}
        try:
            for done in as_completed(asked):
                found[asked[done]] = done.result()
                progress(len(found), len(asked))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return found

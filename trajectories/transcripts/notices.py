"""A repository notice, as its item is named by the worker's feed, in words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ITEM = re.compile(r"pull-(\d{1,9})-([a-z]+)(?:-.*)?", re.DOTALL)
WORDS = {
    "asked": "asked to review {pull}",
    "pushed": "new commits in {pull}, which it was asked to review",
    "review": "a review of its own {pull}",
    "merged": "its own {pull} was merged",
    "closed": "its own {pull} was closed without merging",
    "conflict": "its own {pull} is in conflict with the base",
}


def notice(item: str, pulls: Mapping[int, Mapping[str, Any]]) -> str:
    """What the notice said, with the pull's number and title; `pulls` by number. An item of another form is shown as it is."""
    found = _ITEM.fullmatch(item)
    if found is None or found[2] not in WORDS:
        return item
    title = pulls.get(int(found[1]), {}).get("title")
    return WORDS[found[2]].format(pull=f"pull #{found[1]}") + (f": {title}" if title else "")

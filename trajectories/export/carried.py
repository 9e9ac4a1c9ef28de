"""The filters a page of a run stands at, as the filters of its export: what the tab Export takes along. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from trajectories.export.filters import CHOICES, BadFilter, Filters

#: Kinds that Search tells apart -> kinds of events.
SEARCHED = {"commit": "commits.*", "review": "review.*,comment.*"}
OF_ONE_WORKER = ("worker", "transcript", "knows")
DIRECT = ("worker", "q", "since", "until", *CHOICES)


def carried(page: str, asked: Mapping[str, str], number: int | None = None) -> str:
    """The query for `/runs/{run}/export` from a page's name, its query, and the number in its address; what would be refused is left behind."""
    wanted = {name: asked.get(name, "") for name in DIRECT}
    if page in OF_ONE_WORKER and number is not None:
        wanted["worker"] = str(number)
    elif page == "replay":
        wanted["worker"] = asked.get("w", "")
    elif page == "search":
        wanted |= {"since": _seconds(asked.get("from", "")), "until": _seconds(asked.get("to", ""))}
        wanted["worker"] = asked.get("worker", "").removeprefix("w").lstrip("0")
        kinds = filter(None, asked.get("kind", "").split(","))
        wanted["kind"] = ",".join(SEARCHED.get(kind, f"{kind}.*") for kind in kinds)
    elif page == "export":
        wanted["kind"] = asked.get("kind", "")
    return urlencode({name: value for name, value in wanted.items() if value and _holds(name, value)})


def _holds(name: str, value: str) -> bool:
    try:
        Filters.read({name: value})
    except BadFilter:
        return False
    return True


def _seconds(clock: str) -> str:
    """`1:35` as `95`; what is no clock stays."""
    total = 0.0
    try:
        for part in clock.split(":"):
            total = total * 60 + float(part)
    except ValueError:
        return ""
    return f"{total:g}" if clock else ""

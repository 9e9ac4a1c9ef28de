"""What a page's module imports, and what that imports in turn, so that a browser asks for all of it at once and not level by level."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders

_IMPORT = re.compile(r'^(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"', re.MULTILINE)


@cache
def graph(entry: str) -> tuple[str, ...]:
    """`js/pages/run_replay.js` and every module it needs, by their names in `static/`; as found when first asked for.

    Raises FileNotFoundError.
    """
    found, waiting = [entry], [entry]
    while waiting:
        name = waiting.pop()
        for target in _imported(name):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if path not in found:
                found.append(path)
                waiting.append(path)
    return tuple(found)


def _imported(name: str) -> list[str]:
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"{name} is no static file")
    return [first or second for first, second in _IMPORT.findall(Path(path).read_text(encoding="utf-8"))]

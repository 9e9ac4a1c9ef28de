"""A page names every module that it will need, so that none is found out level by level."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from runs.modules import graph

STATIC = Path(__file__).parents[2] / "static"
PAGES = sorted(f"js/pages/{each.name}" for each in (STATIC / "js/pages").glob("*.js"))


@pytest.mark.parametrize("entry", PAGES)
def test_what_a_module_names_with_from_is_in_its_graph_and_every_name_is_a_file(entry: str) -> None:
    found = graph(entry)
    assert found[0] == entry
    assert len(found) == len(set(found))
    for name in found:
        code = re.sub(r"/\*.*?\*/", "", (STATIC / name).read_text(), flags=re.DOTALL)  # types are imported in comments
        for target in re.findall(r'from "(\.[^"]+)"', code):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) in found


def test_a_module_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match="no_such"):
        graph("js/pages/no_such.js")

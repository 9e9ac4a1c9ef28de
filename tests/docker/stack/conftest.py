"""One engine, one build and one production stack for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.docker.stack.engine import build, engine, install_missing
from tests.docker.stack.production import Production


@pytest.fixture(scope="session")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    missing = install_missing()
    assert not missing, f"install {', '.join(missing)} first"
    with engine():
        build()
        stack = Production(tmp_path_factory.mktemp("production"))
        try:
            stack.start()
            yield stack
        finally:
            stack.end()


@pytest.fixture(autouse=True)
def over(production: Production) -> Iterator[None]:
    """A test that failed leaves no run to the next one."""
    yield
    production.cancel_all()

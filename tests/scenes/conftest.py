"""One forge of each kind for all scenes, a repository and a run for each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenes.forge_scene import Scene
from tests.scenes.forges import ForgePlace, places, standing


@pytest.fixture(scope="session", params=places())
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForgePlace]:
    with standing(request.param, tmp_path_factory.mktemp("forge")) as found:
        yield found


@pytest.fixture
def scene(place: ForgePlace, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    name = request.node.originalname.removeprefix("test_")[:12].strip("_").replace("_", "-")
    made = Scene(place, f"{name}-{time.time_ns() % 10**8}", tmp_path)
    yield made
    made.team.close()

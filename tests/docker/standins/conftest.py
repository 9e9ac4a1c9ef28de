"""Running stand-ins for the tests of this folder: one process a module, one team a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.docker.standins.service import running
from tests.docker.standins.team import ChatTeam, ForgeTeam


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForgeTeam]:
    """A team of three on a forge of its own."""
    folder = tmp_path_factory.mktemp("forge")
    with running("standins.forge", folder, webhook_timeout_s=1) as service:
        team = ForgeTeam(service, folder / "clones")
        yield team
        for client in team.api.values():
            client.close()


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatTeam]:
    """A team of three on a chat of its own."""
    with running("standins.chat", tmp_path_factory.mktemp("chat")) as service:
        team = ChatTeam(service)
        team.service = service  # type: ignore[attr-defined]
        yield team
        for client in team.api.values():
            client.close()

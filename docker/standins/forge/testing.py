"""Open pulls are tested against their base after a move, as Gitea does: until then they count as not mergeable."""

from __future__ import annotations

import logging
from collections.abc import Callable

from standins.forge.forge import Forge
from standins.forge.git import GitFailed

LOG = logging.getLogger("standins.forge.testing")


def test_open_pulls(forge: Forge, stopped: Callable[[], bool]) -> None:
    """Test, one after the other, every open pull whose head or base has moved; the repository remembers what came out."""
    rows = forge.store.all(
        "SELECT p.repo_id AS id, p.head_sha, b.sha AS base_sha FROM pull p "
        "JOIN branch b ON b.repo_id = p.repo_id AND b.name = p.base WHERE p.state = 'open' ORDER BY p.number"
    )
    for row in rows:
        if stopped():
            return
        try:
            forge.bare(row).test_merge(row["base_sha"], row["head_sha"])
        except GitFailed as failed:
            LOG.warning("%s into %s: %s", row["head_sha"], row["base_sha"], failed)

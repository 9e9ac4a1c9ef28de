"""Which image each program of a stack runs in: a table with defaults, and a setting for a site that has its own."""

from __future__ import annotations

import os

# What stands in for Gitea and Mattermost is one image (agensh/standins); its label `agensh.standin` says so, whatever name it carries.
TABLE = {
    "board": ("AGENSH_TEAM_IMAGE", "agensh/team:latest"),
    "gateway": ("AGENSH_TEAM_IMAGE", "agensh/team:latest"),
    "worker": ("AGENSH_WORKER_IMAGE", "agensh/worker:latest"),
    "forge": ("AGENSH_FORGE_IMAGE", "docker.gitea.com/gitea:1.27-rootless"),
    "chat": ("AGENSH_CHAT_IMAGE", "mattermost/mattermost-team-edition:release-11.7"),
    "teamdb": ("AGENSH_TEAM_POSTGRES_IMAGE", "postgres:17"),  # only beside a real Gitea or Mattermost
    "model": ("AGENSH_MODEL_IMAGE", "agensh/standins:latest"),
}


def of(program: str) -> str:
    """The image of a service, or of `worker`. Raises KeyError for another name."""
    setting, default = TABLE[program]
    return os.environ.get(setting) or default


def every() -> list[str]:
    """Every image a stack may use."""
    return sorted({of(program) for program in TABLE})

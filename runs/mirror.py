"""A bare copy of the run's repository: checkpoints score it, and it is what is left when the forge is gone."""

from __future__ import annotations

import threading

from runs.bootstrap.client import BootstrapError
from runs.bootstrap.seed import git, git_env
from runs.folder import RunFolder
from runs.models import Run
from runs.plan import ADMIN

_one_at_a_time = threading.Lock()


def refresh(run: Run, folder: RunFolder) -> None:
    """Fetch every branch of the repository. Raises BootstrapError if the forge does not give it."""
    forge = run.endpoints.get("forge")
    if not forge:
        raise BootstrapError("the run has no repository yet")
    env = git_env(ADMIN, folder.secrets.get("forge_token") or "")
    with _one_at_a_time:
        if not (folder.mirror / "HEAD").exists():
            folder.mirror.parent.mkdir(parents=True, exist_ok=True)
            git("init", "--quiet", "--bare", "--initial-branch=main", str(folder.mirror), cwd=folder.path, env=env)
        url = f"{forge['url']}/{forge['owner']}/{forge['repo']}.git"
        git("fetch", "--quiet", "--prune", url, "+refs/heads/*:refs/heads/*", cwd=folder.mirror, env=env, timeout=30)


def main_commit(folder: RunFolder) -> str:
    """The commit of `main` in the copy; empty if there is none."""
    if not (folder.mirror / "HEAD").exists():
        return ""
    try:
        return git(
            "rev-parse", "--verify", "--quiet", "refs/heads/main", cwd=folder.mirror, env=git_env("", "")
        ).strip()
    except BootstrapError:
        return ""

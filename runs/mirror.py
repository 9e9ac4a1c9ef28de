"""A bare copy of the run's repository: checkpoints score it, and it is what is left when the forge is gone."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

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


def submission(folder: RunFolder) -> dict[str, Any] | None:
    """Write the tree of `main` as `submission.tar.gz`, what an evaluator is given; its commit, size and hash, or None without a commit."""
    commit = main_commit(folder)
    if not commit:
        return None
    half = folder.submission.with_name(".submission.tar.gz")
    git("archive", "--format=tar.gz", f"--output={half}", commit, cwd=folder.mirror, env=git_env("", ""))
    half.replace(folder.submission)
    told = folder.submission.read_bytes()
    return {"commit": commit, "bytes": len(told), "sha256": hashlib.sha256(told).hexdigest()}

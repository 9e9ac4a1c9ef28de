"""The task's seed as the first commit of `main`, pushed over smart HTTP. Credentials go by the environment, never by argument."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from runs.bootstrap.client import BootstrapError

NAME, MAIL = "agensh", "agensh@workers.invalid"
WHEN = "2026-01-01T00:00:00Z"  # the same seed is the same commit in every run


def git_env(account: str, token: str) -> dict[str, str]:
    """An environment in which git sends Basic credentials and reads no configuration of this machine."""
    basic = base64.b64encode(f"{account}:{token}".encode()).decode()
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}",
    }


def git(*arguments: str, cwd: Path, env: dict[str, str], timeout: float = 60) -> str:
    """Run git; its output, or BootstrapError with what it said."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise BootstrapError(f"git {arguments[0]}: {problem}") from problem
    if done.returncode:
        raise BootstrapError(f"git {arguments[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def push_seed(url: str, account: str, token: str, seed: Path) -> None:
    """Push the content of `seed` as `main` unless the repository already has a `main`."""
    env = git_env(account, token)
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        if git("ls-remote", url, "refs/heads/main", cwd=work, env=env).strip():
            return
        shutil.copytree(seed, work, dirs_exist_ok=True)
        git("init", "--quiet", "--initial-branch=main", cwd=work, env=env)
        git("add", "--all", cwd=work, env=env)
        person = {
            f"GIT_{role}_{part}": v
            for role in ("AUTHOR", "COMMITTER")
            for part, v in (("NAME", NAME), ("EMAIL", MAIL), ("DATE", WHEN))
        }
        git("commit", "--quiet", "--message", "Seed", cwd=work, env={**env, **person})
        git("push", "--quiet", url, "main:main", cwd=work, env=env)

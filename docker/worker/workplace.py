"""The worker's own place: its folders, git's name and access, and the environment of its harness."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from worker.config import Config

# What a harness inherits of our environment; everything else, secrets above all, comes only from the worker's file.
INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")


def furnish(config: Config) -> None:
    """Make the folders and configure git. Credentials go into a file of the home folder, never into an address."""
    for folder in (config.cwd, config.home, config.spool_dir):
        folder.mkdir(parents=True, exist_ok=True)
    settings = config.home / ".gitconfig"
    if not settings.exists():
        settings.write_text(
            f"[user]\n\tname = {config.name}\n\temail = {config.name}@workers.invalid\n"
            f"[credential]\n\thelper = store --file {config.home / '.git-credentials'}\n"
            "[init]\n\tdefaultBranch = main\n[pull]\n\trebase = true\n[push]\n\tdefault = current\n"
            "[advice]\n\tdetachedHead = false\n[core]\n\teditor = true\n[gc]\n\tauto = 0\n"
        )
    forge = config.endpoints.get("forge", {})
    token = config.token("forge")
    if forge.get("url") and token:
        address = urlsplit(str(forge["url"]))
        login = quote(str(forge.get("login") or config.name), safe="")
        path = config.home / ".git-credentials"
        path.touch(mode=0o600)
        path.write_text(f"{address.scheme}://{login}:{quote(token, safe='')}@{address.netloc}\n")


def environment(config: Config) -> dict[str, str]:
    """The harness's environment: a few inherited names, the home, and what the worker's file says. A real python comes first on
    PATH, because a version manager's shim costs a tenth of a second a call."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    path = inherited.get("PATH", "/usr/local/bin:/usr/bin:/bin")
    env = {
        **inherited,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{path}",
        "HOME": str(config.home),
        "USER": config.name,
        "LOGNAME": config.name,
        "SHELL": "/bin/bash",
        "TERM": "dumb",
        "GIT_TERMINAL_PROMPT": "0",
        **config.env,
    }
    if config.harness == "mini":
        env.setdefault("PYTHONPATH", str(Path(__file__).resolve().parents[1]))
    return env

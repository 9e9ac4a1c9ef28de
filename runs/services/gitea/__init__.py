"""Gitea as a team's forge: what its container runs, reads and may use. Pure; the text of its files is in `files.py`."""

from __future__ import annotations

from pathlib import Path

from runs.services.base import Database, RealService
from runs.services.gitea.files import START, app_ini

NAME = "forge"
MIB = 1 << 20
HEALTH = "/api/healthz"
ADMIN_TOKEN = "admin.token"  # noqa: S105 - a file's name: where the start script leaves the administrator's first token
# What the reader of the outbox may see, by table; no columns named = all of them.
OUTBOX: dict[str, tuple[str, ...]] = {
    "hook_task": ("id", "hook_id", "uuid", "event_type", "payload_content", "delivered", "is_delivered", "is_succeed"),
    "pull_request": ("index", "issue_id", "status", "base_repo_id", "has_merged"),
    "review": ("id", "issue_id", "type", "dismissed", "stale", "updated_unix"),
    "repository": ("id", "owner_name", "lower_name"),
}
SECRETS = ("gitea_secret_key", "gitea_internal_token", "gitea_jwt_secret")


def service(
    folder: Path,
    *,
    url: str,
    admin: str,
    receiver: str,
    database: Database,
    secrets: Path,
    workers: int,
    program: str = "gitea",
    listen: str = "0.0.0.0",  # noqa: S104 - its container's own networks are all there is
) -> RealService:
    """Gitea in `folder` (its own, bound at the same path), known as `url`, which may send webhooks to the host `receiver`.

    `secrets` is the folder with the files named in SECRETS. The database's password stands in `app.ini`, mode 0600:
    the one secret for which Gitea takes no file of its own.
    """
    port = url.rpartition(":")[2]
    number = int(port) if port.isdigit() else 80
    config = app_ini(
        folder=folder, url=url, port=number, listen=listen, receiver=receiver, database=database, secrets=secrets
    )
    return RealService(
        files={"app.ini": config, "start.sh": START.format(admin=admin, token=ADMIN_TOKEN, program=program)},
        argv=("/bin/sh", str(folder / "start.sh")),
        # A user id without an account, as a container has it, needs its name and home from here.
        env={"USER": "git", "HOME": str(folder / "home"), "TMPDIR": "/tmp", "GITEA_TEMP": "/tmp"},  # noqa: S108 - in memory
        health_path=HEALTH,
        # Measured in runs/services/gitea/README.md; git's own processes count too.
        memory_bytes=(768 + 2 * workers) * MIB,
        compose={
            "healthcheck": ("/usr/bin/curl", "-fsS", "-o", "/dev/null", f"http://127.0.0.1:{number}{HEALTH}"),
            "reads": tuple(str(secrets / name) for name in SECRETS),
        },
    )

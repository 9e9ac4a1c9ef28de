"""A Gitea made ready: organisation, repository, one account with a token per worker, webhook, branch rule."""

from __future__ import annotations

import secrets as random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs.bootstrap.client import BootstrapError, Client
from runs.bootstrap.secrets import Secrets
from runs.bootstrap.seed import push_seed

# Named one by one: an empty list means "push only", and a single review kind cannot be named.
HOOK_EVENTS = [
    "create",
    "delete",
    "push",
    "issue_comment",
    "pull_request",
    "pull_request_comment",
    "pull_request_review",
    "pull_request_review_request",
    "pull_request_sync",
]
WORKER_SCOPES = ["write:repository", "write:issue", "read:user", "read:organization"]


@dataclass(frozen=True, slots=True)
class Forge:
    """Which forge, who administers it, and the repository of the run."""

    url: str
    admin: str
    owner: str
    repository: str

    @property
    def clone_url(self) -> str:
        return f"{self.url}/{self.owner}/{self.repository}.git"


def ensure_admin_token(forge: Forge, secrets: Secrets) -> str:
    """The administrator's API token, minted with its password."""
    return secrets.ensure("forge_token", lambda: _mint(forge, forge.admin, secrets.ensure("forge_admin"), ["all"]))


def ensure_repository(forge: Forge, secrets: Secrets, seed: Path, protected: bool = True) -> None:
    """Organisation, repository with the task's seed on `main`, and the rule that `main` moves by merges only."""
    with _api(forge, secrets) as api:
        if api.find(f"/orgs/{forge.owner}") is None:
            api.call("POST", "/orgs", {"username": forge.owner, "visibility": "private"})
        here = f"/repos/{forge.owner}/{forge.repository}"
        if api.find(here) is None:
            body = {"name": forge.repository, "private": True, "default_branch": "main", "auto_init": False}
            api.call("POST", f"/orgs/{forge.owner}/repos", body)
        push_seed(forge.clone_url, forge.admin, ensure_admin_token(forge, secrets), seed)
        rules = [
            rule.get("rule_name") or rule.get("branch_name") for rule in api.call("GET", f"{here}/branch_protections")
        ]
        if protected and "main" not in rules:
            api.call(
                "POST",
                f"{here}/branch_protections",
                {"rule_name": "main", "enable_push": False, "required_approvals": 0},
            )


def ensure_account(forge: Forge, secrets: Secrets, name: str) -> dict[str, Any]:
    """A worker's account with write access to the repository; its token is kept as `<name>.forge`. Gives Gitea's user."""
    with _api(forge, secrets) as api:
        password = secrets.password_of(name)
        user = api.find(f"/users/{name}")
        if user is None:
            body = {
                "username": name,
                "email": f"{name}@workers.invalid",
                "password": password,
                "must_change_password": False,
                "send_notify": False,
            }
            user = api.call("POST", "/admin/users", body)
        api.call(
            "PUT",
            f"/repos/{forge.owner}/{forge.repository}/collaborators/{name}",
            {"permission": "write"},
        )
    secrets.ensure(f"{name}.forge", lambda: _mint(forge, name, password, WORKER_SCOPES))
    return dict(user)


def ensure_hook(forge: Forge, secrets: Secrets, receiver: str) -> None:
    """Exactly one webhook to `receiver`, active, with every event we read, signed with the secret `hook`."""
    with _api(forge, secrets) as api:
        here = f"/repos/{forge.owner}/{forge.repository}/hooks"
        if any((hook.get("config") or {}).get("url") == receiver for hook in api.call("GET", here)):
            return
        config = {"url": receiver, "content_type": "json", "secret": secrets.ensure("hook")}
        made = api.call("POST", here, {"type": "gitea", "active": True, "config": config, "events": HOOK_EVENTS})
        if not made.get("active"):
            raise BootstrapError("the forge made the webhook inactive")


def _api(forge: Forge, secrets: Secrets) -> Client:
    return Client(f"{forge.url}/api/v1", {"Authorization": f"token {ensure_admin_token(forge, secrets)}"})


def _mint(forge: Forge, account: str, password: str, scopes: list[str]) -> str:
    """A token; its name is random, so an earlier one whose value was lost is no obstacle."""
    with Client(f"{forge.url}/api/v1") as api:
        body = {"name": f"agensh-{random.token_hex(4)}", "scopes": scopes}
        made = api.call("POST", f"/users/{account}/tokens", body, auth=(account, password))
    return str(made["sha1"])

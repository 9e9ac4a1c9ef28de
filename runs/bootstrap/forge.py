"""A Gitea made ready: its administrator's token, organisation, repository, branch rule and webhook.

Every step looks first, compares, and changes only what differs, so it may be cut off anywhere and done again.
Accounts are `accounts.py`.
"""

from __future__ import annotations

import secrets as random
from collections.abc import Callable, Mapping
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
# `main` moves by merges only; whoever may write may merge.
RULE = {"rule_name": "main", "enable_push": False, "required_approvals": 0, "enable_force_push": False}


@dataclass(frozen=True, slots=True)
class Forge:
    """Which forge, who administers it, and the repository of the run.

    `first_token` is the file in which a real Gitea's start script leaves its administrator's token; a stand-in has none.
    """

    url: str
    admin: str
    owner: str
    repository: str
    first_token: Path | None = None

    @property
    def clone_url(self) -> str:
        return f"{self.url}/{self.owner}/{self.repository}.git"

    @property
    def path(self) -> str:
        """The repository below `/api/v1`."""
        return f"/repos/{self.owner}/{self.repository}"


def ensure_admin_token(forge: Forge, secrets: Secrets) -> str:
    """The administrator's API token: the one its start left, else one minted with its password."""
    if forge.first_token is not None and forge.first_token.exists():
        return secrets.ensure("forge_token", forge.first_token.read_text("ascii").strip)
    return secrets.ensure("forge_token", lambda: mint(forge, forge.admin, secrets.ensure("forge_admin"), ["all"]))


def ensure_repository(forge: Forge, secrets: Secrets, seed: Path, rule: Mapping[str, Any] | None = RULE) -> None:
    """Organisation, repository with the task's seed on `main`, and the rule of `main` (None: no rule)."""
    with api_of(forge, secrets) as api:
        if api.find(f"/orgs/{forge.owner}") is None:
            api.call("POST", "/orgs", {"username": forge.owner, "visibility": "private"})
        if api.find(forge.path) is None:
            body = {"name": forge.repository, "private": True, "default_branch": "main", "auto_init": False}
            api.call("POST", f"/orgs/{forge.owner}/repos", body)
        push_seed(forge.clone_url, forge.admin, ensure_admin_token(forge, secrets), seed)
        if rule is not None:
            _ensure_rule(api, f"{forge.path}/branch_protections", rule)


def _ensure_rule(api: Client, here: str, rule: Mapping[str, Any]) -> None:
    known = {each["rule_name"]: each for each in api.call("GET", here)}.get(str(rule["rule_name"]))
    if known is None:
        known = api.call("POST", here, dict(rule))
    elif not _holds(known, rule):
        known = api.call("PATCH", f"{here}/{rule['rule_name']}", dict(rule))
    if not _holds(known, rule):
        raise BootstrapError(f"the rule of the branch {rule['rule_name']} was not kept as it was asked for")


def _holds(known: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(known.get(name) == value for name, value in wanted.items())


def ensure_hook(forge: Forge, secrets: Secrets, receiver: str) -> None:
    """Exactly one webhook, to `receiver`, active, with every event we read, signed with the secret `hook`.

    One that differs is repaired in place: deleting a hook deletes its rows of the outbox with it. Each change names all
    events, for a change without them resets the hook to pushes alone. Of several, which a lost answer may leave, the
    first is kept: it has told everything the others told.
    """
    with api_of(forge, secrets) as api:
        here = f"{forge.path}/hooks"
        first, *others = sorted(api.call("GET", here), key=lambda hook: int(hook["id"])) or [None]
        for hook in others:
            api.call("DELETE", f"{here}/{hook['id']}")
        config = {"url": receiver, "content_type": "json"}
        asked = {"active": True, "config": config, "events": HOOK_EVENTS}
        if first is None:
            signed = {**config, "secret": secrets.ensure("hook")}
            first = api.call("POST", here, {**asked, "type": "gitea", "config": signed})
        if _faults(first, config):
            api.call("PATCH", f"{here}/{first['id']}", asked)
        [kept] = api.call("GET", here)
        if wrong := _faults(kept, config):
            raise BootstrapError(f"the webhook was not kept as it was asked for: {', '.join(wrong)}")


def _faults(hook: Mapping[str, Any], config: Mapping[str, str]) -> list[str]:
    """What is not as it should be. A forge names more events than were asked for where one stands for several."""
    told = hook.get("config") or {}
    wrong = [f"{name} is {told.get(name)!r}" for name, value in config.items() if told.get(name) != value]
    wrong += [] if hook.get("active") is True else ["it is not active"]
    missing = sorted(set(HOOK_EVENTS) - set(hook.get("events") or []))
    return wrong + ([f"it does not tell {', '.join(missing)}"] if missing else [])


def api_of(forge: Forge, secrets: Secrets, timeout: float = 30) -> Client:
    """The administrator's calls."""
    return Client(f"{forge.url}/api/v1", {"Authorization": f"token {ensure_admin_token(forge, secrets)}"}, timeout)


def mint(forge: Forge, account: str, password: str, scopes: list[str], api: Client | None = None) -> str:
    """A token, with the account's password; its name is random, so an earlier one whose value was lost is no obstacle."""
    body = {"name": f"agensh-{random.token_hex(4)}", "scopes": scopes}
    ask: Callable[[Client], Any] = lambda on: on.call(  # noqa: E731
        "POST", f"/users/{account}/tokens", body, auth=(account, password)
    )
    if api is not None:
        return str(ask(api)["sha1"])
    with Client(f"{forge.url}/api/v1") as own:
        return str(ask(own)["sha1"])

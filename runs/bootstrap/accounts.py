"""The workers' accounts on the forge: each made once, with write access and a token of its own; a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from runs.bootstrap.client import Client
from runs.bootstrap.forge import Forge, api_of, mint
from runs.bootstrap.secrets import Secrets

SCOPES = ["write:repository", "write:issue", "read:user", "read:organization"]
# Making an account is the hash of its password, processor time of the forge; more at once only wait for each other.
AT_ONCE = 8
PAGE = 50

Progress = Callable[[int, int], None]


def ensure_accounts(
    forge: Forge, secrets: Secrets, names: Collection[str], progress: Progress = lambda done, of: None
) -> dict[str, dict[str, Any]]:
    """Every worker's account, as Gitea shows it, by name; tokens are kept as `<name>.forge`.

    `progress(done, of)` is called on this thread after each; what it raises ends the work, and a later call goes on.
    """
    with api_of(forge, secrets) as api, Client(api.base) as anonymous:
        known = {user["login"]: user for user in _pages(api, "/admin/users")}
        members = {user["login"] for user in _pages(api, f"{forge.path}/collaborators")}

        def ensure(name: str) -> tuple[str, dict[str, Any]]:
            user = known.get(name) or _create(api, name, secrets.password_of(name))
            if name not in members:
                api.call("PUT", f"{forge.path}/collaborators/{name}", {"permission": "write"})
            secrets.ensure(f"{name}.forge", lambda: mint(forge, name, secrets.password_of(name), SCOPES, anonymous))
            return name, user

        secrets.ensure("seed")  # once, before several threads ask for it
        return dict(_each(ensure, names, progress))


def _each(
    ensure: Callable[[str], tuple[str, dict[str, Any]]], names: Collection[str], progress: Progress
) -> list[tuple[str, dict[str, Any]]]:
    found = []
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="accounts") as pool:
        asked = [pool.submit(ensure, name) for name in names]
        try:
            for done in as_completed(asked):
                found.append(done.result())
                progress(len(found), len(asked))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return found


def _create(api: Client, name: str, password: str) -> dict[str, Any]:
    body = {
        "username": name,
        "email": f"{name}@workers.invalid",
        "password": password,
        "must_change_password": False,  # by default every account but the first must, and can do nothing before
        "send_notify": False,
    }
    return dict(api.call("POST", "/admin/users", body))


def _pages(api: Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    page = 1
    while rows := api.call("GET", f"{path}?limit={PAGE}&page={page}"):
        found += rows
        page += 1
    return found

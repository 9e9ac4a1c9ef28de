"""A small team on the stand-ins: people with tokens, a repository with a first commit, a channel."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from tests.docker.standins.service import PASSWORD, Service

FORGE_EVENTS = [
    "create", "delete", "push", "pull_request", "pull_request_comment", "pull_request_review",
    "pull_request_review_request", "pull_request_sync",
]  # fmt: skip


def until(so: Callable[[], Any], wanted: Any, within_s: float = 30) -> None:
    """It comes to be so: a forge follows a push and a merge a moment later."""
    end = time.monotonic() + within_s
    while (found := so()) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.05)


def said(answer: httpx.Response, *codes: int) -> Any:
    """The JSON of an answer with one of these codes (200, 201, 204 unless said)."""
    asked = f"{answer.request.method} {answer.request.url} -> {answer.status_code} {answer.text[:300]}"
    assert answer.status_code in (codes or (200, 201, 204)), asked
    kind = answer.headers.get("content-type", "")
    return answer.json() if kind.startswith("application/json") and answer.content else answer.text


class ForgeTeam:
    """Workers of a forge; `api["w0001"]` speaks for one, `api["agensh"]` for the administrator."""

    def __init__(
        self, service: Service, folder: Path, workers: int = 3, permission: str = "admin", **hooks: Any
    ) -> None:
        self.service, self.folder = service, folder
        self.folder.mkdir(parents=True, exist_ok=True)
        base = service.url + "/api/v1"
        admin = httpx.Client(base_url=base, auth=("agensh", PASSWORD), **hooks)
        self.api = {"agensh": admin}
        self.tokens = {"agensh": PASSWORD}
        self.repo = "/repos/team/calc"
        said(admin.post("/orgs", json={"username": "team"}))
        said(admin.post("/orgs/team/repos", json={"name": "calc", "private": True, "default_branch": "main"}))
        for n in range(1, workers + 1):
            name = f"w{n:04d}"
            person = {
                "username": name,
                "email": f"{name}@workers.invalid",
                "password": PASSWORD,
                "must_change_password": False,
            }
            said(admin.post("/admin/users", json=person))
            minted = said(admin.post(f"/users/{name}/tokens", json={"name": "run", "scopes": ["all"]}))
            said(admin.put(f"{self.repo}/collaborators/{name}", json={"permission": permission}))
            self.tokens[name] = minted["sha1"]
            headers = {"Authorization": f"token {minted['sha1']}"}
            self.api[name] = httpx.Client(base_url=base, headers=headers, **hooks)
        self.commit("agensh", "main", {"README.md": "calc\n", "core.txt": "one\ntwo\nthree\n"}, "Begin")

    def hook(self, url: str, secret: str = "secret", events: list[str] | None = None) -> dict[str, Any]:
        config = {"url": url, "content_type": "json", "secret": secret}
        asked = {"type": "gitea", "active": True, "config": config, "events": events or FORGE_EVENTS}
        made: dict[str, Any] = said(self.api["agensh"].post(f"{self.repo}/hooks", json=asked))
        return made

    def remote(self, name: str) -> str:
        return self.service.url.replace("://", f"://{name}:{self.tokens[name].replace(' ', '%20')}@") + "/team/calc.git"

    def git(self, name: str, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Git in the worker's clone, which is made on first use."""
        clone = self.folder / name
        if not clone.exists():
            _git(self.folder, "clone", "--quiet", self.remote(name), str(clone))
            _git(clone, "config", "user.name", name)
            _git(clone, "config", "user.email", f"{name}@workers.invalid")
        done = _git(clone, *args, check=check)
        if args[0] == "push":
            self.settled()
        return done

    def settled(self) -> None:
        """Wait until the forge has told every push: it does so a moment after it has answered."""
        with closing(sqlite3.connect(f"file:{self.service.data_dir / 'forge.db'}?mode=ro", uri=True)) as db:
            end = time.monotonic() + 30
            while db.execute("SELECT count(*) FROM push_queue").fetchone()[0]:
                assert time.monotonic() < end, "the forge does not tell its pushes"
                time.sleep(0.01)

    def commit(self, name: str, branch: str, files: dict[str, str], title: str, *, push: bool = True) -> str:
        """Write files, commit them on the branch (made from origin/main where new) and push. The commit's sha."""
        self.git(name, "fetch", "--quiet", "--prune", "origin")
        known = self.git(name, "rev-parse", "--verify", "--quiet", branch, check=False).returncode == 0
        start = self.git(name, "rev-parse", "--verify", "--quiet", "origin/main", check=False).returncode == 0
        if known:
            self.git(name, "checkout", "--quiet", branch)
        elif start:
            self.git(name, "checkout", "--quiet", "--no-track", "-b", branch, "origin/main")
        else:
            self.git(name, "checkout", "--quiet", "-B", branch)
        for path, text in files.items():
            (self.folder / name / path).write_text(text, "utf-8")
        self.git(name, "add", "-A")
        self.git(name, "commit", "--quiet", "-m", title)
        if push:
            self.git(name, "push", "--quiet", "origin", branch)
        return self.git(name, "rev-parse", "HEAD").stdout.strip()

    def pull(self, name: str, branch: str, title: str = "Add it", body: str = "", base: str = "main") -> int:
        """Open a pull of a pushed branch; its number."""
        asked = {"head": branch, "base": base, "title": title, "body": body}
        return int(said(self.api[name].post(f"{self.repo}/pulls", json=asked))["number"])

    def review(self, name: str, number: int, event: str = "APPROVED", body: str = "fine") -> dict[str, Any]:
        made: dict[str, Any] = said(
            self.api[name].post(f"{self.repo}/pulls/{number}/reviews", json={"event": event, "body": body})
        )
        return made

    def merge(self, name: str, number: int, *codes: int, **more: Any) -> Any:
        done = said(self.api[name].post(f"{self.repo}/pulls/{number}/merge", json={"Do": "merge", **more}), *codes)
        self.settled()
        return done

    def see(self, number: int, what: str = "") -> Any:
        return said(self.api["agensh"].get(f"{self.repo}/pulls/{number}{what}"))


def _git(folder: Path, *args: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    env = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "PATH": os.environ["PATH"],
           "GIT_EDITOR": "true", "HOME": str(folder)}  # fmt: skip
    done = subprocess.run(["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, f"git {' '.join(args)}: {done.stderr}"
    return done


class ChatTeam:
    """Bots of a chat in one channel."""

    def __init__(self, service: Service, workers: int = 3, **hooks: Any) -> None:
        base = service.url + "/api/v4"
        admin = httpx.Client(base_url=base, **hooks)
        answer = admin.post("/users/login", json={"login_id": "agensh", "password": PASSWORD})
        self.admin_id = said(answer)["id"]
        admin.headers["Authorization"] = f"Bearer {answer.headers['Token']}"
        self.api = {"agensh": admin}
        self.ids = {"agensh": self.admin_id}
        self.team = said(admin.post("/teams", json={"name": "agensh", "display_name": "Agensh", "type": "O"}))["id"]
        channel = {"team_id": self.team, "name": "team", "display_name": "Team", "type": "O"}
        self.channel = said(admin.post("/channels", json=channel))["id"]
        for n in range(1, workers + 1):
            name = f"w{n:04d}"
            id = said(admin.post("/bots", json={"username": name, "display_name": name}))["user_id"]
            token = said(admin.post(f"/users/{id}/tokens", json={"description": "run"}))["token"]
            said(admin.post(f"/teams/{self.team}/members", json={"team_id": self.team, "user_id": id}))
            said(admin.post(f"/channels/{self.channel}/members", json={"user_id": id}))
            self.ids[name] = id
            self.api[name] = httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, **hooks)

    def post(self, name: str, text: str, channel: str | None = None, **more: Any) -> dict[str, Any]:
        asked = {"channel_id": channel or self.channel, "message": text, **more}
        made: dict[str, Any] = said(self.api[name].post("/posts", json=asked))
        return made

    def direct(self, one: str, other: str) -> str:
        made = said(self.api[one].post("/channels/direct", json=[self.ids[one], self.ids[other]]))
        return str(made["id"])

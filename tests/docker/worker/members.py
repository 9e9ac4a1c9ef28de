"""A forge and a chat with the team's accounts, and two members of the team: fixtures for tests over real HTTP and real git."""

from __future__ import annotations

import json
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.docker.worker.conftest import ENV, ready
from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.config import Config, load
from worker.feeds import ChatFeed, RepoFeed
from worker.inbox import ALL_FEEDS, Inbox, Item
from worker.workplace import environment, furnish

ADMIN = ("agensh", "a long secret")


@pytest.fixture(scope="module", name="services")
def team_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses of a forge and a chat with the team's accounts, and the folder of their tokens."""
    tmp_path = tmp_path_factory.mktemp("services")
    (tmp_path / "admin").write_text(ADMIN[1])
    started = {}
    for name in ("forge", "chat"):
        place = tmp_path / name
        place.mkdir()
        admin = {"username": ADMIN[0], "password_file": str(tmp_path / "admin")}
        config = {"data_dir": str(place), "ready_file": str(place / "ready.json"), "admin": admin}
        (place / "config.json").write_text(json.dumps(config))
        command = [sys.executable, "-m", f"standins.{name}", "--config", str(place / "config.json")]
        started[name] = subprocess.Popen(command, env=ENV, stderr=subprocess.DEVNULL)
    try:
        urls = {name: ready(tmp_path / name / "ready.json", process) for name, process in started.items()}
        found_team(urls, tmp_path)
        yield urls | {"tokens": str(tmp_path)}
    finally:
        for process in started.values():
            process.send_signal(signal.SIGTERM)
            process.wait(10)


def found_team(urls: dict[str, str], folder: Path) -> None:
    """Two workers, an organisation, a team and its channel."""
    forge = httpx.Client(base_url=f"{urls['forge']}/api/v1", auth=ADMIN)
    chat = httpx.Client(base_url=f"{urls['chat']}/api/v4")
    with forge, chat:
        login = chat.post("/users/login", json={"login_id": ADMIN[0], "password": ADMIN[1]})
        chat.headers["Authorization"] = f"Bearer {login.headers['Token']}"
        assert forge.post("/orgs", json={"username": "team"}).is_success
        team = chat.post("/teams", json={"name": "agensh", "display_name": "Agensh", "type": "O"}).json()
        room = {"team_id": team["id"], "name": "team", "display_name": "Team", "type": "O"}
        channel = chat.post("/channels", json=room).json()
        for name in ("w0001", "w0002"):
            user = {"username": name, "email": f"{name}@workers.invalid", "password": f"pw {name} long"}
            assert forge.post("/admin/users", json=user | {"must_change_password": False}).is_success
            token = forge.post(f"/users/{name}/tokens", json={"name": "run", "scopes": ["all"]}).json()["sha1"]
            (folder / f"{name}.forge").write_text(token)
            bot = chat.post("/bots", json={"username": name}).json()
            token = chat.post(f"/users/{bot['user_id']}/tokens", json={"description": "run"}).json()["token"]
            (folder / f"{name}.chat").write_text(token)
            chat.post(f"/teams/{team['id']}/members", json={"team_id": team["id"], "user_id": bot["user_id"]})
            chat.post(f"/channels/{channel['id']}/members", json={"user_id": bot["user_id"]})


def found_repository(url: str, name: str) -> None:
    """A repository both workers may write to, empty."""
    with httpx.Client(base_url=f"{url}/api/v1", auth=ADMIN) as forge:
        assert forge.post("/orgs/team/repos", json={"name": name, "default_branch": "main"}).is_success
        for worker in ("w0001", "w0002"):
            path = f"/repos/team/{name}/collaborators/{worker}"
            assert forge.put(path, json={"permission": "write"}).is_success


class Member:
    """One worker's clients, inbox and shell."""

    def __init__(self, n: int, folder: Path, urls: dict[str, str], repo: str, http: httpx.AsyncClient) -> None:
        name = f"w{n:04d}"
        self.place = folder / name
        self.place.mkdir()
        forge = {"url": urls["forge"], "owner": "team", "repo": repo}
        chat = {"url": urls["chat"], "team": "agensh", "channel": "team"}
        file = {"run": "demo", "worker": n, "life": 1, "name": name, "command": ["true"]}
        file |= {"endpoints": {"forge": forge, "chat": chat}}
        file |= {"token_files": {service: f"{urls['tokens']}/{name}.{service}" for service in ("forge", "chat")}}
        (self.place / "worker.json").write_text(json.dumps(file))
        self.config: Config = load(self.place / "worker.json")
        furnish(self.config)
        self.forge, self.chat = Forge(self.config, http), Chat(self.config, http)
        self.inbox = Inbox(self.config.spool_dir / "inbox.db", lambda move: None)
        self.feeds = [ChatFeed(self.chat, self.inbox), RepoFeed(self.forge, self.inbox)]

    def shell(self, command: str) -> str:
        env = environment(self.config)
        done = subprocess.run(
            ["/bin/bash", "-ec", command], cwd=self.config.cwd, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def push(self, branch: str, path: str, text: str) -> None:
        """Commit a file on a new branch off main, and push it."""
        if not (self.config.cwd / "rill").exists():
            self.shell(f"git clone -q {self.config.repository} rill")
        self.shell(
            f"cd rill; git fetch -q; git checkout -q -B {branch} origin/main; echo '{text}' > {path}; git add .;"
            f"git commit -q -m 'Write {path}'; git push -q -f origin HEAD"
        )

    async def news(self) -> list[Item]:
        """What came since the last call."""
        for feed in self.feeds:
            await feed.step()
        items = self.inbox.lease(ALL_FEEDS, "turn")
        self.inbox.show(items, "turn")
        self.inbox.acknowledge()
        return items


@pytest.fixture(name="members")
async def two_members(services: dict[str, str], tmp_path: Path) -> AsyncIterator[tuple[Member, Member]]:
    repo = f"rill-{secrets.token_hex(4)}"
    found_repository(services["forge"], repo)
    async with httpx.AsyncClient(trust_env=False) as http:
        one, two = (Member(n, tmp_path, services, repo, http) for n in (1, 2))
        one.shell(
            f"git clone -q {one.config.repository} rill 2>/dev/null; cd rill; git checkout -q -B main;"
            "git commit -q --allow-empty -m 'Begin'; git push -q origin HEAD:main"
        )
        await one.news()
        await two.news()
        yield one, two
        one.inbox.close()
        two.inbox.close()

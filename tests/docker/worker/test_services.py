"""The worker's clients and feeds against the forge and chat of the team, over real HTTP and real git."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docker.worker.conftest import ENV, ready
from worker.clients.chat import Chat
from worker.clients.forge import Forge
from worker.clients.http import ToolError
from worker.config import Config, load
from worker.feeds import ChatFeed, RepoFeed
from worker.inbox import ALL_FEEDS, Inbox, Item
from worker.tools import Tools
from worker.workplace import environment, furnish

ADMIN = ("agensh", "a long secret")


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
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
        self.inbox = Inbox(self.config.spool_dir / "inbox.db", lambda **_: None)
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
        self.inbox.acknowledge("turn")
        return items


@pytest.fixture
async def members(services: dict[str, str], tmp_path: Path) -> AsyncIterator[tuple[Member, Member]]:
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


async def test_messages_reach_the_channel_and_the_one_they_are_for(members: tuple[Member, Member]) -> None:
    one, two = members
    posted = await one.chat.post("hello team")
    sent = await one.chat.direct("w0002", "release n3")
    news = await two.news()
    assert [(item.feed, item.sender, item.text) for item in news] == [
        ("channel", "w0001", "hello team"),
        ("direct", "w0001", "release n3"),
    ]
    assert {item.item for item in news} == {posted["message"], sent["message"]}
    assert await one.news() == [] and await two.news() == []
    page = await two.chat.read()
    assert [message["kind"] for message in page["messages"]] == ["channel", "direct"]
    assert (await two.chat.read(page["upto"]))["messages"] == []
    with pytest.raises(ToolError, match="no peer is named 'w0009'"):
        await one.chat.direct("w0009", "x")
    with pytest.raises(ToolError, match="yourself"):
        await one.chat.direct("w0001", "x")


async def test_a_pull_is_opened_reviewed_withdrawn_and_merged(members: tuple[Member, Member]) -> None:
    one, two = members
    one.push("w0001/n12-lexer", "lexer.py", "print(1)")
    opened = await one.forge.open("w0001/n12-lexer", "Lex strings", "Nested too.", claim=12)
    number = opened["number"]
    assert await one.forge.request_review(number, ["w0002"]) == {"number": number, "requested": ["w0002"]}
    (asked,) = await two.news()
    assert asked.text == f"w0001 asks for your review of pull {number} (Lex strings)"

    (pull,) = await two.forge.pulls()
    assert pull["body"].endswith("\n\nClaim: n12") and pull["claim"] == 12
    assert (pull["author"], pull["state"], pull["merged"], pull["requested"]) == ("w0001", "open", False, ["w0002"])
    whole = await two.forge.pull(number)
    assert [file["path"] for file in whole["files"]] == ["lexer.py"]
    assert [(commit["title"], commit["author"]) for commit in whole["commits"]] == [("Write lexer.py", "w0001")]

    await two.forge.review(number, "approve", "ran it: prints 1")
    (told,) = await one.news()
    assert told.text == f"w0002 approved pull {number} (Lex strings): ran it: prints 1"
    taken_back = await two.forge.dismiss_own(number)
    assert len(taken_back["dismissed"]) == 1
    standing = [r for r in (await one.forge.pull(number))["reviews"] if not r["dismissed"]]
    assert standing == []
    with pytest.raises(ToolError, match="no standing review"):
        await two.forge.dismiss_own(number)
    await two.forge.review(number, "request_changes", "empty input crashes")
    assert any("asks for changes" in item.text for item in await one.news())

    one.push("w0001/n12-lexer", "lexer.py", "print(2)")
    assert any("new commits" in item.text for item in await two.news())
    await two.forge.review(number, "approve", "ran it again")
    merged = await two.forge.merge(number)
    assert merged["merged"] is True and merged["sha"]
    assert any(item.text == f"w0002 merged pull {number} (Lex strings)" for item in await one.news())
    assert [pull["merged_by"] for pull in await one.forge.pulls("merged")] == ["w0002"]
    with pytest.raises(ToolError, match="merged already"):
        await one.forge.merge(number)


async def test_a_conflict_is_said_in_words_and_told_to_the_author(members: tuple[Member, Member]) -> None:
    one, two = members
    one.push("w0001/n1-a", "same.py", "one")
    two.push("w0002/n2-b", "same.py", "two")
    first = (await one.forge.open("w0001/n1-a", "One", "", 1))["number"]
    second = (await two.forge.open("w0002/n2-b", "Two", "", 2))["number"]
    await two.news()
    await one.forge.merge(first)
    for _ in range(20):
        told = [item.text for item in await two.news()]
        if told:
            break
        await asyncio.sleep(0.2)
    assert told == [f"pull {second} (Two) conflicts with main: rebase it"]
    with pytest.raises(ToolError, match=r"^conflict: rebase w0002/n2-b on origin/main") as refused:
        await two.forge.merge(second)
    assert refused.value.facts == {"conflict": True}
    assert await two.forge.close(second, "done by n1") == {"number": second, "state": "closed"}
    assert [pull["state"] for pull in await two.forge.pulls("closed")] == ["closed", "closed"]


async def test_a_service_that_is_gone_is_an_answer_not_a_crash(members: tuple[Member, Member], tmp_path: Path) -> None:
    one, _ = members
    one.forge.base = one.chat.base = "http://127.0.0.1:9"
    tools = Tools(one.inbox, None, one.chat, one.forge)
    began = time.monotonic()
    texts, failed = await tools.call("repo_merge", {"number": 1})
    assert failed and json.loads(texts[0]) == {"error": "the forge does not answer (ConnectError)"}
    assert time.monotonic() - began < 10


def test_a_home_holds_the_credentials_and_no_address_does(tmp_path: Path) -> None:
    file: dict[str, Any] = {"run": "demo", "worker": 1, "life": 1, "name": "w0001", "command": ["true"]}
    file["endpoints"] = {"forge": {"url": "http://127.0.0.1:3000", "owner": "team", "repo": "rill"}}
    (tmp_path / "token").write_text("s3cret/+\n")
    file["token_files"] = {"forge": str(tmp_path / "token")}
    (tmp_path / "worker.json").write_text(json.dumps(file))
    config = load(tmp_path / "worker.json")
    furnish(config)
    credentials = config.home / ".git-credentials"
    assert credentials.read_text() == "http://w0001:s3cret%2F%2B@127.0.0.1:3000\n"
    assert credentials.stat().st_mode & 0o077 == 0
    assert config.repository == "http://127.0.0.1:3000/team/rill.git"
    assert "s3cret" not in json.dumps(environment(config))

"""A team's chat for the scenes: the stand-in, or a real Mattermost with its PostgreSQL, made ready by the product's own bootstrap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, api_of, ensure_channel
from runs.bootstrap.secrets import Secrets
from tests.docker.standins.service import PASSWORD, Service
from tests.docker.standins.team import said
from trajectories.bench.stood import Stood
from trajectories.sources.outbox import reading

WORKERS = 3


class Team:
    """Three bots in one channel: `api["w0001"]` speaks for one, `api["agensh"]` for the administrator."""

    real = False

    def __init__(self, url: str, outbox: str, secrets: Secrets) -> None:
        self.url, self.secrets = url, secrets
        chat = Chat(url, "agensh")
        self.team, self.channel = ensure_channel(chat, secrets)
        names = [f"w{n:04d}" for n in range(1, WORKERS + 1)]
        bots = ensure_bots(chat, secrets, names, (self.team, self.channel))
        self.ids = {name: str(bot["id"]) for name, bot in bots.items()}
        self.endpoints = {"chat": {"url": url, "outbox": outbox}}
        self.roster = [{"mattermost_username": name, "mattermost_id": self.ids[name]} for name in names]
        self.api = {name: self._client(f"{name}.chat") for name in names} | {"agensh": self._client("chat_token")}
        with api_of(chat, secrets) as api:
            self.ids["agensh"] = str(api.call("GET", "/users/me")["id"])

    def _client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.secrets.get(token)}"}
        return httpx.Client(base_url=f"{self.url}/api/v4", headers=headers, timeout=30, trust_env=False)

    def post(self, name: str, text: str, channel: str | None = None, **more: Any) -> dict[str, Any]:
        asked = {"channel_id": channel or self.channel, "message": text, **more}
        made: dict[str, Any] = said(self.api[name].post("/posts", json=asked))
        return made

    def edit(self, name: str, post: str, text: str) -> dict[str, Any]:
        made: dict[str, Any] = said(self.api[name].put(f"/posts/{post}/patch", json={"message": text}))
        return made

    def delete(self, name: str, post: str) -> None:
        said(self.api[name].delete(f"/posts/{post}"))

    def react(self, name: str, post: str, emoji: str) -> dict[str, Any]:
        asked = {"user_id": self.ids[name], "post_id": post, "emoji_name": emoji}
        made: dict[str, Any] = said(self.api[name].post("/reactions", json=asked))
        return made

    def unreact(self, name: str, post: str, emoji: str) -> None:
        said(self.api[name].delete(f"/users/me/posts/{post}/reactions/{emoji}"))

    def direct(self, one: str, other: str) -> str:
        return str(said(self.api[one].post("/channels/direct", json=[self.ids[one], self.ids[other]]))["id"])

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """What the listener's role reads in the chat's database."""
        with reading(self.endpoints["chat"]["outbox"]) as box:
            return box.rows(sql)

    def close(self) -> None:
        for client in self.api.values():
            client.close()


class StandIn(Team):
    """The stand-in as a process."""

    def __init__(self, folder: Path) -> None:
        self.service = Service("standins.chat", folder / "chat")
        secrets = Secrets(folder / "secrets")
        secrets.keep("chat_admin", PASSWORD)
        super().__init__(self.service.url, f"sqlite:///{self.service.data_dir / 'chat.db'}", secrets)

    def restart(self) -> None:
        """The chat dies and comes back."""
        self.kill()
        self.service.start()

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        self.service.kill()

    def close(self) -> None:
        super().close()
        self.service.kill()


class Real(Team):
    """The Mattermost of AGENSH_MATTERMOST on a PostgreSQL of its own, both started as a `local` run starts them."""

    real = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stood = Stood(folder, ["chat"], WORKERS)
        try:
            standing = self.stood.standing
            super().__init__(standing.url("chat"), standing.outbox("chat"), Secrets(folder / "secrets"))
        except BaseException:
            self.stood.close()
            raise

    def restart(self) -> None:
        """Mattermost stops, or was killed, and comes back; its database goes on."""
        self.stood.restart("chat")

    def kill(self) -> None:
        """SIGKILL, in the middle of whatever it does."""
        self.stood.kill("chat")

    def close(self) -> None:
        super().close()
        self.stood.close()

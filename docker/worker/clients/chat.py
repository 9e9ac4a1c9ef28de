"""The team's chat over Mattermost's HTTP API: one channel, and direct messages."""

from __future__ import annotations

from typing import Any

import httpx

from worker.clients.http import Service, ToolError
from worker.config import Config
from worker.times import iso

PAGE = 200


class Chat(Service):
    """Posts and reads as this worker's own user."""

    def __init__(self, config: Config, client: httpx.AsyncClient) -> None:
        super().__init__("chat", config, client)
        self._place = config.endpoints["chat"]
        self._me = ""
        self._channel = str(self._place.get("channel_id") or "")
        self._names: dict[str, str] = {}
        self._direct: dict[str, str] = {}

    async def call(self, method: str, path: str, **asked: Any) -> Any:
        """As Service.call, below `/api/v4`."""
        return await super().call(method, f"/api/v4{path}", **asked)

    async def me(self) -> str:
        """This worker's user id."""
        if not self._me:
            user = await self.call("GET", "/users/me")
            self._me = user["id"]
            self._names[user["id"]] = user["username"]
        return self._me

    async def channel(self) -> str:
        """The team channel's id."""
        if not self._channel:
            team = await self.call("GET", f"/teams/name/{self._place.get('team', 'agensh')}")
            name = self._place.get("channel", "team")
            self._channel = (await self.call("GET", f"/teams/{team['id']}/channels/name/{name}"))["id"]
        return self._channel

    async def post(self, text: str) -> dict[str, Any]:
        """Post to the channel."""
        return await self._post(await self.channel(), text)

    async def direct(self, to: str, text: str) -> dict[str, Any]:
        """Post a direct message."""
        if to not in self._direct:
            try:
                peer = await self.call("GET", f"/users/username/{to.lstrip('@')}")
            except ToolError as error:
                raise ToolError(f"no peer is named {to!r}" if error.status == 404 else str(error)) from None
            if peer["id"] == await self.me():
                raise ToolError("that is yourself")
            self._direct[to] = (await self.call("POST", "/channels/direct", json=[await self.me(), peer["id"]]))["id"]
        return await self._post(self._direct[to], text) | {"to": to}

    async def _post(self, channel: str, text: str) -> dict[str, Any]:
        if not text.strip():
            raise ToolError("text is empty")
        post = await self.call("POST", "/posts", json={"channel_id": channel, "message": text})
        return {"message": post["id"], "at": iso(post["create_at"])}

    async def read(self, after: int = 0, most: int = PAGE) -> dict[str, Any]:
        """Messages of the channel and of this worker's direct channels created after `after` (ms), oldest first."""
        me, team = await self.me(), await self.channel()
        found: list[dict[str, Any]] = []
        for channel in await self.call("GET", "/users/me/channels"):
            if channel["type"] not in "DG" and channel["id"] != team:
                continue
            if after and channel.get("last_post_at", 0) <= after:
                continue
            found += await self._posts(channel, after)
        found.sort(key=lambda post: (post["create_at"], post["id"]))
        found = found[-most:]
        await self._learn({post["user_id"] for post in found})
        upto = max([after, *(post["create_at"] for post in found)])
        return {"messages": [self._message(post, me) for post in found], "upto": upto}

    async def _posts(self, channel: dict[str, Any], after: int) -> list[dict[str, Any]]:
        """New posts of one channel: `since` asks by change, so posts that only changed are left out here."""
        query: dict[str, Any] = {"since": after} if after else {"per_page": PAGE}
        answer = await self.call("GET", f"/channels/{channel['id']}/posts", params=query)
        kind = "channel" if channel["id"] == self._channel else "direct"
        return [
            post | {"kind": kind}
            for post in (answer.get("posts") or {}).values()
            if post["create_at"] > after and not post.get("delete_at") and not post.get("type")
        ]

    async def _learn(self, users: set[str]) -> None:
        unknown = sorted(users - self._names.keys())
        if unknown:
            for user in await self.call("POST", "/users/ids", json=unknown):
                self._names[user["id"]] = user["username"]

    def _message(self, post: dict[str, Any], me: str) -> dict[str, Any]:
        return {
            "message": post["id"],
            "from": self._names.get(post["user_id"], post["user_id"]),
            "kind": post["kind"],
            "mine": post["user_id"] == me,
            "text": post["message"],
            "at": iso(post["create_at"]),
        }

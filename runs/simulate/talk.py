"""The board's and Mattermost's halves: notes, reads, channel posts and direct messages."""

from __future__ import annotations

from typing import Any

from runs.simulate.bundle import Bundle, digest, iso

CHANNEL = {"id": "team0000000000000000000000", "type": "O", "name": "team", "display_name": "Team"}


def member(worker: int) -> dict[str, str]:
    """A worker's Mattermost user."""
    return {"id": f"user{worker:022d}", "username": f"w{worker:04d}"}


class Board:
    """Writes the board's log."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.notes = 0

    def _entry(self, at: int, op: str, worker: int, **fields: Any) -> None:
        seq = self.bundle.next("board")
        body = {"seq": seq, "at": iso(at), "op": op, "worker": f"w{worker:04d}", **fields}
        self.bundle.deliver("board", str(seq), seq, at, body)

    def post(self, at: int, worker: int, type: str, text: str, about: str | None = None, detail: str = "") -> int:
        """Admit a note; the caller keeps to the caps. Answers its id."""
        self.notes += 1
        self._entry(at, "note", worker, note=self.notes, type=type, text=text, detail=detail, delegation_id=about)
        return self.notes

    def refuse(self, at: int, worker: int, type: str, text: str, reason: str) -> None:
        """Log a refusal."""
        self._entry(at, "refused", worker, type=type, text=text, reason=reason)

    def read(self, at: int, worker: int, added: int) -> None:
        """A worker read everything there is."""
        self._entry(at, "read", worker, via="turn", upto=self.notes, added=added, query=None)


class Chat:
    """Writes rows of `posts`."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.posts = 0

    def say(self, at: int, worker: int, text: str, to: int | None = None, reply_to: str = "") -> str:
        """A channel post, or a direct message to a worker; its id."""
        self.posts += 1
        post = f"p{self.posts:025d}"
        self._write(post, at, worker, text, to, reply_to)
        return post

    def edit(self, post: str, created: int, at: int, worker: int, text: str) -> None:
        """A channel post gets another text; the old text stays behind in a row of its own."""
        self._write(f"{post[:-1]}o", created, worker, "(the text before)", None, "", originalid=post, deleteat=at)
        self._write(post, created, worker, text, None, "", editat=at)

    def delete(self, post: str, created: int, at: int, worker: int, text: str) -> None:
        """A channel post is gone."""
        self._write(post, created, worker, text, None, "", deleteat=at)

    def _write(self, post: str, at: int, worker: int, text: str, to: int | None, reply_to: str, **more: Any) -> None:
        channel = dict[str, Any](CHANNEL)
        if to is not None:
            pair = sorted([member(worker)["id"], member(to)["id"]])
            name = "__".join(pair)
            channel = {"id": f"dm{digest(name)[:24]}", "type": "D", "name": name, "display_name": ""}
            channel["members"] = [member(worker), member(to)]
        row: dict[str, Any] = {
            "id": post,
            "createat": at,
            "updateat": at,
            "editat": 0,
            "deleteat": 0,
            "userid": member(worker)["id"],
        }
        row |= {
            "channelid": channel["id"],
            "rootid": reply_to,
            "originalid": "",
            "message": text,
            "type": "",
            "props": "{}",
        }
        row |= more
        moment = max(row["createat"], row["editat"], row["deleteat"])
        body = {"table": "posts", "row": row, "channel": channel, "user": member(worker)}
        self.bundle.deliver("mattermost", f"{post}@{moment}", moment, moment, body)

"""Board, forge and chat in memory, for a team on a made-up clock. The git behind the forge is real; the board's rules are the board's."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from board.rules import Board

CLAIM_TTL_MS = 60_000
GIT = {
    "GIT_AUTHOR_NAME": "forge",
    "GIT_AUTHOR_EMAIL": "f@x",
    "GIT_COMMITTER_NAME": "forge",
    "GIT_COMMITTER_EMAIL": "f@x",
}


def iso(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dated(now: float) -> dict[str, str]:
    """Environment that makes git stamp commits with the made-up time: equal runs have equal commits."""
    return {"GIT_AUTHOR_DATE": f"{int(now)} +0000", "GIT_COMMITTER_DATE": f"{int(now)} +0000"}


@dataclass
class Pull:
    number: int
    title: str
    author: str
    head: str
    body: str
    claim: int | None
    opened_at: float
    state: str = "open"
    merged_by: str | None = None
    requested: list[str] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)


class Services:
    """What the MCP tools of all workers talk to. `wake(name, feed)` is called when something concerns a worker."""

    def __init__(self, repository: Path, wake: Any) -> None:
        self.repository, self.wake = repository, wake
        self.board = Board(CLAIM_TTL_MS)
        self.now = 0.0
        self.pulls: dict[int, Pull] = {}
        self.directs: list[tuple[float, str, str, str]] = []
        self.posts: list[tuple[float, str, str]] = []
        self.log: list[tuple[float, str, str, dict[str, Any]]] = []

    def git(self, *args: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **GIT, **dated(self.now)}
        return subprocess.run(["git", "-C", str(self.repository), *args], capture_output=True, text=True, env=env)

    def sha(self, ref: str) -> str:
        return self.git("rev-parse", "--verify", "-q", ref).stdout.strip()

    def call(self, me: str, tool: str, args: dict[str, Any], now: float) -> dict[str, Any]:
        self.now = now
        self.log.append((now, me, tool, args))
        answer: dict[str, Any] = getattr(self, tool)(me, now, **args)
        return answer

    def board_read(self, me: str, now: float, after: int = 0) -> dict[str, Any]:
        notes = [
            {
                "note": n.note,
                "type": n.type,
                "worker": n.worker,
                "text": n.text,
                "delegation_id": n.delegation_id,
                "at": iso(n.at / 1000),
                "detail": bool(n.detail),
            }
            for n in self.board.recent(int(now * 1000), after)
        ]
        return {"notes": notes, "upto": self.board.last}

    def board_write(self, me: str, now: float, **asked: Any) -> dict[str, Any]:
        refused = self.board.refusal(me, asked, int(now * 1000))
        if refused:
            return {"error": refused}
        note = self.board.last + 1
        self.board.apply({"op": "note", "note": note, "worker": me, **asked}, int(now * 1000))
        self.wake(None, me, "board", f"{asked['type']} n{note} {asked['text']}")
        return {"note": note, "seq": note}

    def chat_post(self, me: str, now: float, text: str) -> dict[str, Any]:
        self.posts.append((now, me, text))
        self.wake(None, me, "channel", text)
        return {"message": f"p{len(self.posts)}", "at": iso(now)}

    def chat_direct(self, me: str, now: float, to: str, text: str) -> dict[str, Any]:
        self.directs.append((now, me, to, text))
        self.wake(to, me, "direct", text)
        return {"message": f"d{len(self.directs)}", "at": iso(now)}

    def _mergeable(self, pull: Pull) -> bool:
        done = self.git("merge-tree", "--write-tree", "refs/heads/main", f"refs/heads/{pull.head}")
        return done.returncode == 0

    def _row(self, pull: Pull) -> dict[str, Any]:
        head = self.sha(f"refs/heads/{pull.head}")
        reviews = [
            {k: v for k, v in {**r, "stale": r["sha"] != head}.items() if k != "sha"} | {"at": iso(r["at"])}
            for r in pull.reviews
        ]
        return {
            "number": pull.number,
            "title": pull.title,
            "author": pull.author,
            "head": pull.head,
            "base": "main",
            "state": "open" if pull.state == "open" else "closed",
            "merged": pull.state == "merged",
            "merged_by": pull.merged_by,
            "mergeable": self._mergeable(pull) if pull.state == "open" else None,
            "body": pull.body,
            "claim": pull.claim,
            "reviews": reviews,
            "requested": pull.requested,
            "opened_at": iso(pull.opened_at),
        }

    def repo_pulls(self, me: str, now: float, state: str = "open") -> dict[str, Any]:
        return {"pulls": [self._row(p) for p in self.pulls.values() if state == "all" or p.state == state]}

    def repo_open_pull(
        self, me: str, now: float, branch: str, title: str, body: str, claim: int | None = None
    ) -> dict[str, Any]:
        if not self.sha(f"refs/heads/{branch}"):
            return {"error": "no such branch"}
        number = len(self.pulls) + 1
        self.pulls[number] = Pull(number, title, me, branch, f"{body}\n\nClaim: n{claim}", claim, now)
        return {"number": number}

    def repo_request_review(self, me: str, now: float, number: int, reviewers: list[str]) -> dict[str, Any]:
        pull = self.pulls[number]
        for name in reviewers:
            if name not in pull.requested and name != pull.author:
                pull.requested.append(name)
                self.wake(name, me, "repo", f"asks for your review of #{number}")
        return {"number": number, "requested": pull.requested}

    def repo_review(self, me: str, now: float, number: int, verdict: str, text: str) -> dict[str, Any]:
        pull = self.pulls[number]
        if pull.author == me:
            return {"error": "own pull"}
        said = {"approve": "approved", "request_changes": "changes_requested", "comment": "commented"}[verdict]
        sha = self.sha(f"refs/heads/{pull.head}")
        open_now = pull.state == "open"
        pull.reviews.append(
            {"reviewer": me, "verdict": said, "text": text, "at": now, "dismissed": False, "sha": sha, "open": open_now}
        )
        if me in pull.requested:
            pull.requested.remove(me)
        self.wake(pull.author, me, "repo", f"{said} #{number}")
        return {"number": number, "review": len(pull.reviews), "verdict": said}

    def repo_merge(self, me: str, now: float, number: int) -> dict[str, Any]:
        pull = self.pulls[number]
        if pull.state != "open":
            return {"error": "not open"}
        tree = self.git("merge-tree", "--write-tree", "refs/heads/main", f"refs/heads/{pull.head}")
        if tree.returncode:
            return {"error": "conflict: rebase it", "conflict": True}
        main, head = self.sha("refs/heads/main"), self.sha(f"refs/heads/{pull.head}")
        made = self.git("commit-tree", tree.stdout.split()[0], "-p", main, "-p", head, "-m", f"Merge #{number}")
        self.git("update-ref", "refs/heads/main", made.stdout.strip())
        pull.state, pull.merged_by = "merged", me
        self.wake(pull.author, me, "repo", f"merged #{number}")
        return {"number": number, "merged": True, "sha": made.stdout.strip()}

    def repo_close(self, me: str, now: float, number: int, reason: str) -> dict[str, Any]:
        pull = self.pulls[number]
        if pull.state != "open":
            return {"error": "not open"}
        pull.state = "closed"
        self.wake(pull.author, me, "repo", f"closed #{number}")
        return {"number": number, "state": "closed"}

"""Gitea's half: branches, pulls, reviews and merges as hook deliveries and sweeps."""

from __future__ import annotations

from typing import Any

from runs.simulate.bundle import Bundle, digest, iso

ZERO = "0" * 40
REPOSITORY = {"id": 1, "name": "program", "full_name": "team/program", "default_branch": "main"}


def account(worker: int) -> dict[str, Any]:
    """A worker's Gitea account."""
    return {"id": 100 + worker, "login": f"w{worker:04d}", "username": f"w{worker:04d}"}


class Pull:
    """One pull as the forge keeps it."""

    __slots__ = (
        "approvals",
        "asked",
        "author",
        "body",
        "branch",
        "clashed",
        "doubted",
        "faulty",
        "merged_by",
        "number",
        "opened",
        "rejected",
        "reviews",
        "sha",
        "state",
        "sweeps",
        "title",
    )

    def __init__(self, number: int, author: int, branch: str, sha: str, title: str, body: str, opened: int) -> None:
        self.number, self.author, self.branch, self.sha = number, author, branch, sha
        self.title, self.body, self.opened, self.state = title, body, opened, "open"
        self.reviews: list[dict[str, Any]] = []
        self.approvals: dict[int, int] = {}
        self.asked: list[int] = []
        self.sweeps = 0
        self.merged_by = 0
        self.faulty = self.clashed = self.rejected = False
        self.doubted: set[int] = set()


class Forge:
    """Writes what Gitea would send."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.heads: dict[str, str] = {}
        self.pulls: dict[int, Pull] = {}
        self.review_ids = 900

    def hook(self, at: int, type: str, body: dict[str, Any], worker: int) -> None:
        """One hook_task row."""
        seq = self.bundle.next("gitea")
        raw = digest(f"hook {seq}")
        uuid = f"{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:32]}"
        headers = {"X-Gitea-Event-Type": type, "X-Gitea-Delivery": uuid}
        body = {**body, "repository": REPOSITORY, "sender": account(worker)}
        self.bundle.deliver("gitea", uuid, seq, at, body, headers)

    def push(self, at: int, worker: int, branch: str, title: str, file: str = "") -> str:
        """Commit (a change of `file`, if one is named) and push; a new branch gives `create` and `push`."""
        before = self.heads.get(branch, ZERO)
        after = digest(f"{branch} {title} {at}")
        if before == ZERO:
            self.hook(at, "create", {"ref": branch, "ref_type": "branch", "sha": after}, worker)
        name = f"w{worker:04d}"
        author = {"name": name, "email": f"{name}@workers.invalid", "username": name}
        commit = {"id": after, "message": f"{title}\n", "author": author, "committer": author, "timestamp": iso(at)}
        commit |= {"added": [], "removed": [], "modified": [file] if file else []}
        body = {
            "ref": f"refs/heads/{branch}",
            "before": before,
            "after": after,
            "commits": [commit],
            "total_commits": 1,
        }
        self.hook(at, "push", {**body, "head_commit": commit, "pusher": account(worker)}, worker)
        self.heads[branch] = after
        return after

    def open(self, at: int, worker: int, branch: str, title: str, body: str) -> Pull:
        """Open a pull from a pushed branch."""
        pull = Pull(len(self.pulls) + 1, worker, branch, self.heads[branch], title, body, at)
        self.pulls[pull.number] = pull
        self._send(at, "pull_request", "opened", pull, worker)
        return pull

    def recent(self, count: int) -> list[Pull]:
        """The latest pulls, newest first."""
        last = len(self.pulls)
        return [self.pulls[number] for number in range(last, max(0, last - count), -1)]

    def describe(self, at: int, pull: Pull, worker: int) -> None:
        """The body was edited."""
        self._send(at, "pull_request", "edited", pull, worker, changes={"body": {"from": ""}})

    def update(self, at: int, pull: Pull, title: str) -> None:
        """Push to the pull's branch."""
        pull.sha = self.push(at, pull.author, pull.branch, title)
        self._send(at + 30, "pull_request_sync", "synchronized", pull, pull.author, commit_id=pull.sha)

    def ask(self, at: int, pull: Pull, reviewer: int) -> None:
        """Request a review."""
        pull.asked.append(reviewer)
        who = account(reviewer)
        self._send(at, "pull_request_review_request", "review_requested", pull, pull.author, requested_reviewer=who)

    def review(self, at: int, pull: Pull, worker: int, verdict: str, text: str) -> None:
        """Verdict approved, rejected or comment."""
        self.review_ids += 1
        state = {"approved": "APPROVED", "rejected": "REQUEST_CHANGES", "comment": "COMMENT"}[verdict]
        row = {"id": self.review_ids, "user": account(worker), "state": state, "body": text, "dismissed": False}
        pull.reviews.append({**row, "stale": False, "submitted_at": iso(at)})
        if verdict == "approved":
            pull.approvals[worker] = at
        elif verdict == "rejected":
            pull.approvals.pop(worker, None)
            pull.rejected = True
        type = f"pull_request_review_{verdict}"
        self._send(at, type, "reviewed", pull, worker, review={"type": type, "content": text})

    def unask(self, at: int, pull: Pull, reviewer: int) -> None:
        """Take a request for review back."""
        if reviewer in pull.asked:
            pull.asked.remove(reviewer)
        self._send(
            at,
            "pull_request_review_request",
            "review_request_removed",
            pull,
            pull.author,
            requested_reviewer=account(reviewer),
        )

    def dismiss(self, at: int, pull: Pull, reviewer: int, by: int | None = None) -> None:
        """Dismiss a worker's approval, by itself unless said otherwise: Gitea sends nothing, a sweep sees it."""
        pull.approvals.pop(reviewer, None)
        timeline = []
        for row in pull.reviews:
            if row["user"]["login"] == f"w{reviewer:04d}" and row["state"] == "APPROVED" and not row["dismissed"]:
                row["dismissed"] = True
                who = account(reviewer if by is None else by)
                timeline.append({"type": "dismiss_review", "user": who, "created_at": iso(at), "review_id": row["id"]})
        self.sweep(at + 1_500, pull, timeline)

    def delete_review(self, at: int, pull: Pull, reviewer: int) -> None:
        """A worker deletes its approvals: nothing is sent, a sweep misses them. It must have seen them before."""
        pull.approvals.pop(reviewer, None)
        login = f"w{reviewer:04d}"
        pull.reviews = [row for row in pull.reviews if row["user"]["login"] != login or row["state"] != "APPROVED"]
        self.sweep(at + 1_500, pull)

    def sweep(self, at: int, pull: Pull, timeline: list[dict[str, Any]] | None = None, conflict: str = "") -> None:
        """What a REST sweep of the pull reads; `conflict` is what two looks at it came to."""
        pull.sweeps += 1
        shape = self._shape(pull, mergeable=conflict != "true")
        body = {"pull": shape, "reviews": pull.reviews, "timeline": timeline or []}
        body |= {"conflict": conflict} if conflict else {}
        id, seq = f"pull-{pull.number}-{pull.sweeps}", self.bundle.counts.get("gitea", 0)
        self.bundle.deliver("gitea", id, seq, at, body, {"X-Agensh-Sweep": "pull"})

    def merge(self, at: int, pull: Pull, worker: int) -> str:
        """Merge into main: `closed` with merged, and the push of main."""
        commit = digest(f"merge {pull.number} {at}")
        pull.state, pull.merged_by = "merged", worker
        more = {"merged": True, "merged_at": iso(at), "merged_by": account(worker), "merge_commit_sha": commit}
        shape = self._shape(pull, state="closed", closed_at=iso(at), **more)
        self.hook(
            at,
            "pull_request",
            {"action": "closed", "number": pull.number, "pull_request": shape, "review": None},
            worker,
        )
        before, self.heads["main"] = self.heads.get("main", ZERO), commit
        body = {"ref": "refs/heads/main", "before": before, "after": commit, "commits": [], "pusher": account(worker)}
        self.hook(at + 40, "push", body, worker)
        return commit

    def close(self, at: int, pull: Pull, worker: int) -> None:
        """Close without merging."""
        pull.state = "closed"
        shape = self._shape(pull, state="closed", closed_at=iso(at))
        self.hook(
            at,
            "pull_request",
            {"action": "closed", "number": pull.number, "pull_request": shape, "review": None},
            worker,
        )

    def _send(self, at: int, type: str, action: str, pull: Pull, worker: int, **more: Any) -> None:
        body = {"action": action, "number": pull.number, "pull_request": self._shape(pull), "requested_reviewer": None}
        self.hook(at, type, {**body, "commit_id": "", "review": None, **more}, worker)

    def _shape(self, pull: Pull, **more: Any) -> dict[str, Any]:
        head = {"label": pull.branch, "ref": pull.branch, "sha": pull.sha}
        base = {"label": "main", "ref": "main", "sha": self.heads.get("main", ZERO)}
        shape: dict[str, Any] = {"id": 5000 + pull.number, "number": pull.number, "user": account(pull.author)}
        shape |= {"title": pull.title, "body": pull.body, "state": "open", "merged": False, "merged_at": None}
        shape |= {"merged_by": None, "merge_commit_sha": None, "mergeable": True, "created_at": iso(pull.opened)}
        return shape | {"updated_at": iso(pull.opened), "closed_at": None, "head": head, "base": base} | more

"""The shared repository over Gitea's HTTP API: pulls and reviews. Git itself is the shell's."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from worker.clients.http import Service, ToolError
from worker.clients.pulls import CLAIM, VERDICTS, shown, verdicts, waited_for
from worker.config import Config

EVENTS = {"approve": "APPROVED", "request_changes": "REQUEST_CHANGES", "comment": "COMMENT"}
PAGE, PAGES, FEW = 50, 20, 5
LISTED = 300  # characters of each text in a list of pulls
PAUSES = (0.5, 1.0, 1.5)  # a real forge tests an open pull anew after each merge, in the background


class Forge(Service):
    """Calls on one repository, as this worker's own user."""

    scheme = "token"

    def __init__(self, config: Config, client: httpx.AsyncClient) -> None:
        super().__init__("forge", config, client)
        place = config.endpoints["forge"]
        self.me = str(place.get("login") or config.name)
        self._repo = f"/api/v1/repos/{place['owner']}/{place['repo']}"
        self._rows: dict[int, tuple[str, list[dict[str, Any]]]] = {}

    async def pulls(self, state: str = "all") -> list[dict[str, Any]]:
        """Pulls with their reviews, by number."""
        listed = await self.raw_pulls("open" if state == "open" else "all" if state == "all" else "closed")
        if state == "merged":
            listed = [pull for pull in listed if pull.get("merged")]
        gate = asyncio.Semaphore(4)

        async def one(pull: dict[str, Any]) -> dict[str, Any]:
            async with gate:
                return shown(pull, await self._settled_rows(pull), LISTED)

        return list(await asyncio.gather(*(one(pull) for pull in sorted(listed, key=lambda pull: pull["number"]))))

    async def raw_pulls(self, state: str, sort: str = "oldest", pages: int = PAGES) -> list[dict[str, Any]]:
        """Pulls as the forge lists them."""
        found: list[dict[str, Any]] = []
        for page in range(1, pages + 1):
            params = {"state": state, "sort": sort, "page": page, "limit": PAGE}
            listed = await self.call("GET", f"{self._repo}/pulls", params=params)
            found += listed or []
            if len(listed or []) < PAGE:
                break
        return found

    async def raw_pull(self, number: int) -> dict[str, Any]:
        """One pull as the forge gives it."""
        return dict(await self.call("GET", f"{self._repo}/pulls/{number}"))

    async def touched(self, since: str) -> list[dict[str, Any]]:
        """Pulls touched at `since` (an `updated_at`, in whole seconds) or later, and a few before; without one the newest page."""
        if not since:
            return await self.raw_pulls("all", sort="recentupdate", pages=1)
        found: list[dict[str, Any]] = []
        for page in range(1, PAGES + 1):
            params = {"state": "all", "sort": "recentupdate", "page": page, "limit": FEW}
            listed = await self.call("GET", f"{self._repo}/pulls", params=params) or []
            found += listed
            if len(listed) < FEW or str(listed[-1].get("updated_at")) < since:
                break
        return found

    async def _settled_rows(self, pull: dict[str, Any]) -> list[dict[str, Any]]:
        """Rows of a pull's reviews; those of a closed one are asked for once per change."""
        known = self._rows.get(pull["number"])
        if pull["state"] != "open" and known and known[0] == pull.get("updated_at"):
            return known[1]
        rows = await self.review_rows(pull["number"])
        self._rows[pull["number"]] = (str(pull.get("updated_at")), rows)
        return rows

    async def review_rows(self, number: int) -> list[dict[str, Any]]:
        """What the forge lists as a pull's reviews: verdicts, and each request that waits for one."""
        listed = await self.call("GET", f"{self._repo}/pulls/{number}/reviews", params={"limit": PAGE})
        return list(listed or [])

    async def reviews(self, number: int) -> list[dict[str, Any]]:
        """Reviews of a pull as the forge gives them; drafts and requests are none."""
        return verdicts(await self.review_rows(number))

    async def waits_for_me(self, number: int) -> bool:
        """Whether a review of mine is asked for and not yet given."""
        return self.me in waited_for(await self.review_rows(number))

    async def pull(self, number: int) -> dict[str, Any]:
        """One pull with commits and files."""
        path = f"{self._repo}/pulls/{number}"
        pull, rows, commits, files = await asyncio.gather(
            self.call("GET", path),
            self.review_rows(number),
            self.call("GET", f"{path}/commits"),
            self.call("GET", f"{path}/files"),
        )
        return shown(pull, rows) | {
            "commits": [
                {
                    "sha": commit["sha"],
                    "title": commit["commit"]["message"].partition("\n")[0],
                    "author": commit["commit"]["author"]["name"],
                }
                for commit in commits or []
            ],
            "files": [
                {
                    "path": file["filename"],
                    "status": file.get("status"),
                    "additions": file.get("additions"),
                    "deletions": file.get("deletions"),
                }
                for file in files or []
            ],
        }

    async def open(self, branch: str, title: str, body: str, claim: int | None = None) -> dict[str, Any]:
        """Open a pull into main; the claim it lands is a line of its body."""
        if claim is not None and str(claim) not in CLAIM.findall(body):
            body = f"{body.rstrip()}\n\nClaim: n{claim}".lstrip()
        asked = {"head": branch, "base": "main", "title": title, "body": body}
        pull = await self.call("POST", f"{self._repo}/pulls", json=asked)
        return {"number": pull["number"]}

    async def request_review(self, number: int, reviewers: list[str]) -> dict[str, Any]:
        """Ask peers for a review."""
        if self.me in reviewers:
            raise ToolError("you cannot review your own pull: ask a peer")
        await self.call("POST", f"{self._repo}/pulls/{number}/requested_reviewers", json={"reviewers": reviewers})
        return {"number": number, "requested": reviewers}

    async def review(self, number: int, verdict: str, text: str) -> dict[str, Any]:
        """Submit a review."""
        asked = {"event": EVENTS[verdict], "body": text}
        review = await self.call("POST", f"{self._repo}/pulls/{number}/reviews", json=asked)
        return {"number": number, "review": review["id"], "verdict": VERDICTS[EVENTS[verdict]]}

    async def dismiss_own(self, number: int) -> dict[str, Any]:
        """Take back this worker's standing reviews. Where the forge reserves dismissing to admins, they are deleted."""
        path = f"{self._repo}/pulls/{number}/reviews"
        own = [
            review
            for review in await self.reviews(number)
            if (review.get("user") or {}).get("login") == self.me
            and not review.get("dismissed")
            and review["state"] != "COMMENT"
        ]
        if not own:
            raise ToolError(f"you have no standing review on pull {number}")
        for review in own:
            try:
                await self.call(
                    "POST", f"{path}/{review['id']}/dismissals", json={"message": "taken back by its reviewer"}
                )
            except ToolError as error:
                if error.status not in (403, 404):
                    raise
                await self.call("DELETE", f"{path}/{review['id']}")
        return {"number": number, "dismissed": [review["id"] for review in own]}

    async def merge(self, number: int) -> dict[str, Any]:
        """Merge a pull. One that the forge is still testing against the moved base is waited for."""
        path = f"{self._repo}/pulls/{number}"
        for pause in (*PAUSES, None):
            try:
                await self.call("POST", f"{path}/merge", json={"Do": "merge"})
                break
            except ToolError as error:
                # It says the same of a pull in conflict and of one not tested yet, and this of a base that just moved.
                if pause is None or not any(word in str(error) for word in ("try again later", "out of date")):
                    raise await self._why_not(number, error) from None
                await asyncio.sleep(pause)
        pull = await self.raw_pull(number)
        return {"number": number, "merged": bool(pull.get("merged")), "sha": pull.get("merge_commit_sha")}

    async def _why_not(self, number: int, error: ToolError) -> ToolError:
        """The forge says little about a merge it refuses; the pull says more."""
        if error.status not in (405, 409):
            return error
        pull = await self.raw_pull(number)
        if pull.get("merged"):
            return ToolError(f"pull {number} is merged already", error.status, merged=True)
        if pull.get("state") != "open":
            return ToolError(f"pull {number} is closed", error.status)
        if pull.get("mergeable") is False or error.status == 409:
            reason = f"conflict: rebase {pull['head']['ref']} on origin/main, check again, push, then merge ({error})"
            return ToolError(reason, error.status, conflict=True)
        return error

    async def close(self, number: int, reason: str) -> dict[str, Any]:
        """Close a pull without merging, with the reason as a comment."""
        await self.call("POST", f"{self._repo}/issues/{number}/comments", json={"body": reason})
        pull = await self.call("PATCH", f"{self._repo}/pulls/{number}", json={"state": "closed"})
        return {"number": number, "state": pull["state"]}

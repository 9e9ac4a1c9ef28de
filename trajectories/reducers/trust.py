"""Trust: whom an author asks to review again after that reviewer's word has stood."""

from __future__ import annotations

from trajectories.reducers.evidence import with_evidence
from trajectories.reducers.fields import stamp
from trajectories.reducers.people import Who
from trajectories.reducers.rules import rule
from trajectories.reducers.topic import Seen, Topic

ASKS = rule(
    "trust_asks",
    3,
    "requests",
    "An author trusts a reviewer it asked this often again after a first review of it that stood.",
)


class Trust(Topic):
    """One row a pair, keyed `{author}>{reviewer}`."""

    table = "trust"

    def prepare(self) -> None:
        self.asks_since = self.state.index("trust.asks_since_first_stood")

    def heard_review_asked(self, pull: int, reviewer: Who, seen: Seen) -> None:
        """The author of a pull asks for a review of it."""
        author = self.team.pulls.author_of(pull)
        if author is None or seen.who != author or reviewer == author:
            return
        key = self._ensure(author, reviewer)
        row = self.rows[key]
        self.put(key, asked=_int(row["asked"]) + 1, **with_evidence(row, seen.ref))
        if row["stood"]:
            again = self.asks_since.get(key, 0) + 1
            self.state.assign(self.asks_since, key, again)
            if again == self.team.limits.of(ASKS):
                self.put(key, since=stamp(seen.said))
                self.team.tell("reviewer_trusted", key, seen)

    def heard_pull_settled(self, pull: int, seen: Seen) -> None:
        """A review that was never taken back until its pull closed has stood."""
        author = self.team.pulls.author_of(pull)
        if author is None:
            return
        reviews = self.team.reviews
        for reviewer in reviews.requested.get(pull, ()):
            for each in reviews.of_pair(pull, reviewer):
                row = reviews.rows[each]
                lasting = row["verdict"] != "commented" and row["status"] in ("standing", "stale")
                if lasting and reviewer != author:
                    key = self._ensure(author, reviewer)
                    mine = self.rows[key]
                    self.put(key, stood=_int(mine["stood"]) + 1, **with_evidence(mine, seen.ref))

    def heard_review_withdrawn(self, key: str, pull: int, seen: Seen) -> None:
        """An approval that did not last."""
        row = self.team.reviews.rows[key]
        author, reviewer = row["author"], row["reviewer"]
        if row["verdict"] == "approved" and author is not None and reviewer != author:
            pair = self._ensure(author, reviewer)
            mine = self.rows[pair]
            self.put(pair, withdrawn=_int(mine["withdrawn"]) + 1, **with_evidence(mine, seen.ref))

    def _ensure(self, author: object, reviewer: object) -> str:
        key = f"{author}>{reviewer}"
        if key not in self.rows:
            self.state.put(self.table, key, author=author, reviewer=reviewer)  # type: ignore[arg-type]
        return key


def _int(value: object) -> int:
    return value if type(value) is int else 0

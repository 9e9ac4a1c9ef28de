"""Random runs, and random arrivals of any run, from a seed."""

from __future__ import annotations

import random

from tests.trajectories.reducers.team import Team, name_of
from trajectories.events import Event


def waves(events: list[Event], chance: random.Random) -> list[list[Event]]:
    """The same events late, out of order and doubled, in batches."""
    delayed = sorted(events, key=lambda event: event.at + chance.choice([0, 0, 500, 3_000, 20_000, 55_000]))
    doubled = [again for event in delayed for again in [event] * chance.choice([1, 1, 1, 2])]
    batches: list[list[Event]] = []
    while doubled:
        size = chance.choice([1, 1, 2, 5, 20])
        batch, doubled = doubled[:size], doubled[size:]
        chance.shuffle(batch)
        batches.append(batch)
    return batches


def busy(seed: int, workers: int = 4, moves: int = 120) -> Team:
    """A lively random run: everything a team does, in any mix, from a seed."""
    chance = random.Random(seed)
    team = Team(workers, duration_s=900, claim_ttl_s=60)
    pulls: list[int] = []
    for _ in range(moves):
        team.later(chance.choice([0, 0.2, 1, 3, 9]))
        _move(team, chance, workers, pulls)
    team.later(30).ends()
    team.later(1).merges(1, 1)
    return team


def _hands_over(team: Team, chance: random.Random, workers: int, pull: int, pulls: list[int]) -> None:
    """An author asks everybody, calls some off, and somebody merges."""
    pulls.append(pull)
    author = chance.randint(1, workers)
    team.opens(author, pull, "Fix #1", "## What\nTested: yes")
    for peer in range(1, workers + 1):
        team.later(1).asks(author, pull, peer)
    team.later(1).reviews(chance.randint(1, workers), pull, "approved")
    team.later(1).direct(author, chance.randint(1, workers), f"#{pull} is taken care of")
    team.later(1).merges(chance.randint(1, workers), pull)


def _loops(team: Team, who: int, times: int) -> None:
    """One tool call, failing."""
    for _ in range(times):
        step = f"{who}-{team.now}"
        team.agent(who, "step.started", step=step, tool="shell", title="make")
        team.later(1).agent(who, "step.finished", step=step, status="failed")


BODIES = ["Claim: n{}", "## What\nClaim: n{}\nTested: yes", "What: n{}", "plain"]
SUBJECTS = ["lexer", "parser", "src/emit.py", "src/cli.py", "докум", "🚀 ship it"]
VERDICTS = ["approved", "changes_requested", "commented"]


def _move(team: Team, chance: random.Random, workers: int, pulls: list[int]) -> None:
    who, peer = chance.randint(1, workers), chance.randint(1, workers)
    subject, pull = chance.choice(SUBJECTS), chance.choice(pulls) if pulls else 1
    tokens = {"input_tokens": 100, "output_tokens": 7, "cost_microusd": chance.choice([None, 12])}
    moves = [
        lambda: team.claims(who, f"claiming {subject}"),
        lambda: team.claims(who, subject, subject),
        lambda: team.fails(who, f"{subject} breaks #{pull}", chance.choice([subject, None])),
        lambda: team.note(who, "PATCH_SUMMARY", f"files={subject}", subject),
        lambda: team.direct(who, peer, chance.choice(["yielding", "mine, please", f"releasing {subject}"])),
        lambda: team.says(who, f"#{pull} looks odd"),
        lambda: pulls.append(len(pulls) + 1),
        lambda: team.opens(who, len(pulls), subject, chance.choice(BODIES).format(chance.randint(1, 9))),
        lambda: _hands_over(team, chance, workers, len(pulls) + 1, pulls),
        lambda: team.direct(who, peer, f"{subject} and `emit(node, {pull})`, see #{pull}"),
        lambda: team.add(
            "gitea", "review.request_removed", None, f"gitea:{name_of(who)}", number=pull, reviewer=name_of(peer)
        ),
        lambda: _loops(team, who, chance.choice([1, 3, 6])),
        lambda: team.agent(who, "inbox.moved", feed="board", state="shown", **{"from": 1}, upto=chance.randint(0, 60)),
        lambda: team.fails(who, f"{subject} again", subject),
        lambda: team.asks(who, pull, peer),
        lambda: team.reviews(who, pull, chance.choice(VERDICTS), chance.choice(["", "text"])),
        lambda: team.merges(who, pull),
        lambda: team.closes(who, pull),
        lambda: team.sweep(pull, conflict=chance.choice(["true", "false"]), title=subject, author=name_of(peer)),
        lambda: team.sweep(pull, reviews=[team.told(chance.randint(1, 4), peer, chance.choice(VERDICTS))]),
        lambda: team.pushes(who, "main", chance.choice("abc"), chance.choice("abc")),
        lambda: team.steps(who, 2),
        lambda: team.agent(who, "usage.reported", session=1, scope=chance.choice(["prompt", "session"]), **tokens),
        lambda: team.add("gateway", "request.metered", chance.choice([who, 1]), **tokens),
        lambda: team.add("board", "notes.read", None, name_of(who), via="read", upto=chance.randint(0, 50), added=1),
        lambda: team.turn(who),
        lambda: team.rests(who, chance.choice([None, "boom"])),
        lambda: team.agent(who, "nudge.sent"),
        lambda: team.silent(who),
        lambda: team.heard(who),
        lambda: team.exits(who, expected=chance.random() < 0.3),
        lambda: team.joins(who, team.lives[who] + 1),
        lambda: team.tick(),
        lambda: team.tick(),
        lambda: team.add("run", "checkpoint.scored", checkpoint=chance.randint(1, 5), passed=3, total=4, at_s=1),
    ]
    chance.choice(moves)()

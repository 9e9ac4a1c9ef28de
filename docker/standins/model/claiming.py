"""Claim a sub-task, and settle it by direct message when two claims meet."""

from __future__ import annotations

from standins.model.draw import draw
from standins.model.picture import Claim
from standins.model.worker import Steps, Worker

WINDOW = 3  # how many of the next free sub-tasks, in the list's order, a worker chooses among
SILENT_S = 60.0  # who said nothing for so long is not waited for


def free(worker: Worker) -> list[str]:
    """Sub-tasks that nobody holds, in the list's order: none landed, no open pull, no standing claim."""
    picture = worker.picture
    return [
        name
        for name in worker.task.subtasks
        if not picture.landed(name)
        and not any(pull.open for pull in picture.pulls_of(name))
        and not picture.claims(name)
    ]


def given_up(worker: Worker) -> list[str]:
    """Free sub-tasks that a peer gave up and this worker did not."""
    return [name for name in free(worker) if (lost := worker.picture.failures(name)) and worker.name not in lost]


def choose_free(worker: Worker) -> str | None:
    """One of the next few free sub-tasks, by draw; those I gave up myself only when nothing else is left."""
    names = free(worker)
    fresh = [name for name in names if worker.name not in worker.picture.failures(name)]
    window = (fresh or names)[:WINDOW]
    return worker.order(window, "sub-task")[0] if window else None


def leaves(worker: Worker) -> bool:
    """Whether I leave what is free to peers of whom nothing is in main yet: I have something there or on its way, they may still need
    it. One is kept for each of them that has nothing in hand, and one for every two whose work may yet be sent back."""
    picture = worker.picture
    if worker.alone or not (picture.has_landed(worker.name) or in_hand(worker, worker.name)):
        return False
    owed = [
        peer
        for peer in picture.peers()
        if not picture.has_landed(peer) and picture.now - picture.heard_at(peer) < SILENT_S
    ]
    busy = sum(in_hand(worker, peer) for peer in owed)
    return len(free(worker)) <= len(owed) - busy + (busy + 1) // 2


def in_hand(worker: Worker, name: str) -> bool:
    """Whether somebody has an open pull or a standing claim on something that is not in main."""
    picture = worker.picture
    return any(pull.author == name for pull in picture.open_pulls()) or any(
        claim.worker == name
        for subtask in worker.task.subtasks
        if not picture.landed(subtask)
        for claim in picture.claims(subtask)
    )


def own_claim(worker: Worker) -> Claim | None:
    """My newest standing claim that has neither landed nor an open pull."""
    mine = [
        claim
        for name in worker.task.subtasks
        if not worker.picture.landed(name) and not any(pull.open for pull in worker.picture.pulls_of(name))
        for claim in worker.picture.claims(name)
        if claim.worker == worker.name
    ]
    return max(mine, key=lambda claim: claim.note, default=None)


def rivals(worker: Worker, claim: Claim) -> list[Claim]:
    return [other for other in worker.picture.claims(claim.subtask) if other.worker != worker.name]


def keeps(claim: Claim, others: list[Claim]) -> bool:
    """Both sides compute the same draw from the note's number: the highest keeps the sub-task."""
    return all(
        draw("overlap", claim.subtask, claim.note) > draw("overlap", other.subtask, other.note) for other in others
    )


def claim(worker: Worker, name: str) -> Steps:
    """Write the CLAIM, look whether somebody else did the same, and settle it."""
    subtask = worker.subtask(name)
    taken_from = worker.picture.failures(name)
    lead = f"Taking over {name} after {taken_from[-1]}" if taken_from else f"{name}: {subtask.title.lower()}"
    say = f"{name} is free; I take it." if not taken_from else f"{taken_from[-1]} gave {name} up; I take it over."
    result = yield from worker.call(
        "board_write", say, type="CLAIM", text=f"{lead}, {subtask.path}", delegation_id=name
    )
    if result.error:
        return
    yield from worker.look("Did anybody claim the same?")
    yield from settle(worker, tell=True)


def settle(worker: Worker, tell: bool = False) -> Steps:
    """Release my claim if it loses the draw; if it wins and was just made, ask the other side to release."""
    mine = own_claim(worker)
    if mine is None or not (others := rivals(worker, mine)):
        return
    if keeps(mine, others):
        for other in others if tell else []:
            yield from worker.call(
                "chat_direct",
                f"{other.worker} and I both claimed {mine.subtask}.",
                to=other.worker,
                text=f"We both claimed {mine.subtask} (n{other.note} and n{mine.note}). By the draw n{mine.note} keeps it; "
                f"please release n{other.note}.",
            )
        return
    winner = max(others, key=lambda other: draw("overlap", other.subtask, other.note))
    yield from worker.call(
        "chat_direct",
        f"{winner.worker} keeps {mine.subtask}; I yield.",
        to=winner.worker,
        text=f"Release n{mine.note}: you keep {mine.subtask} with n{winner.note}, I take something else.",
    )
    yield from worker.note("OBSERVED", f"release n{mine.note}: n{winner.note} keeps {mine.subtask}", mine.subtask)
    yield from worker.look()

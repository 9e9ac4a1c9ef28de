"""One turn: look around, then do what the local rules say until nothing is left to do. The rules never ask who the worker is."""

from __future__ import annotations

from collections.abc import Callable

from standins.model.claiming import choose_free, claim, given_up, keeps, leaves, own_claim, rivals, settle
from standins.model.implementing import fix, implement
from standins.model.integrating import integrate, own_conflict, rebase_own, wants_merge
from standins.model.picture import Claim, Pull
from standins.model.reviewing import UNPICKED_S, contradicted, reconsider, review, wants_review
from standins.model.steps import Script
from standins.model.worker import Steps, Worker

ACTS = 40  # in one turn
WAITS = 3
WAIT_S = 3
ABANDONED_S = 60.0  # a pull sent back and untouched for this long is anybody's


def turn(worker: Worker) -> Script:
    """Calls until nothing is left for this worker; the closing words end the turn."""
    yield from worker.look("What is the team doing?")
    yield from worker.shell(worker.sh.arrive(), "Bringing my clone up to date.")
    waits = done = 0
    while done < ACTS:
        act = next_act(worker)
        if act is not None:
            done += 1
            yield from act
        elif waits < WAITS and due_soon(worker):
            waits += 1
            yield from worker.shell(worker.sh.wait(WAIT_S), "Something is about to need me; a short wait.")
            yield from worker.look()
        else:
            break
    return closing(worker)


def next_act(worker: Worker) -> Steps | None:
    """The most urgent thing that the board and the pulls ask of me."""
    mine = own_claim(worker)
    if mine and (others := rivals(worker, mine)) and not keeps(mine, others):
        return settle(worker)
    found: list[tuple[Callable[[Worker], Pull | None], Callable[[Worker, Pull], Steps]]] = [
        (contradicted, reconsider),
        (overtaken, give_way),
        (sent_back, fix),
        (wants_merge, integrate),
        (own_conflict, rebase_own),
        (wants_review, review),
        (abandoned, take_over_pull),
    ]
    for question, act in found:
        pull = question(worker)
        if pull is not None:
            return act(worker, pull)
    if mine:
        return implement(worker, mine)
    if leaves(worker):
        return None
    lost = worker.order(given_up(worker), "take over")
    name = lost[0] if lost else choose_free(worker)
    if name and worker.alone:
        return implement(worker, Claim(0, worker.name, name, worker.picture.now))
    return claim(worker, name) if name else None


def sent_back(worker: Worker) -> Pull | None:
    """My pull with an objection that I have not yet answered: who objected is asked again by my answer."""
    for pull in worker.picture.open_pulls():
        unanswered = [review for review in pull.objections() if review.reviewer not in pull.requested]
        if pull.author == worker.name and unanswered and pull.subtask:
            return pull
    return None


def overtaken(worker: Worker) -> Pull | None:
    """My open pull for a sub-task that a peer's pull has brought into main meanwhile."""
    for pull in worker.picture.open_pulls():
        if pull.author == worker.name and pull.subtask and worker.picture.landed(pull.subtask):
            return pull
    return None


def give_way(worker: Worker, pull: Pull) -> Steps:
    """Close it: an open pull keeps reviewers busy and the run from ending."""
    yield from worker.call("repo_close", number=pull.number, reason=f"{pull.subtask} is in main by another pull.")
    yield from worker.look()


def abandoned(worker: Worker) -> Pull | None:
    """A peer's pull that was sent back long ago and that nobody has claimed since."""
    for pull in worker.picture.open_pulls():
        if pull.author == worker.name or not pull.objections() or not pull.subtask:
            continue
        claimed = [c for c in worker.picture.claims(pull.subtask) if c.worker != pull.author]
        if worker.picture.now - pull.moved_at() > ABANDONED_S and not claimed:
            return pull
    return None


def take_over_pull(worker: Worker, pull: Pull) -> Steps:
    """Claim the sub-task of an abandoned pull and close it, so that it can be built anew."""
    text = f"Taking over {pull.subtask} after {pull.author}, {worker.subtask(pull.subtask).path}"
    result = yield from worker.call(
        "board_write",
        f"{pull.author} left #{pull.number} lying; I take it over.",
        type="CLAIM",
        text=text,
        delegation_id=pull.subtask,
    )
    if not result.error:
        yield from worker.call(
            "repo_close", number=pull.number, reason="Sent back and untouched; I build the sub-task anew."
        )
    yield from worker.look()


def due_soon(worker: Worker) -> bool:
    """Whether an open pull of others will be anybody's to review or merge in a moment."""
    return any(
        not pull.objections() and (pull.ready(worker.peers) or worker.picture.now - pull.moved_at() < UNPICKED_S)
        for pull in worker.picture.open_pulls()
    )


def closing(worker: Worker) -> str:
    """What the worker says when it has nothing to do now."""
    landed = [name for name in worker.task.subtasks if worker.picture.landed(name)]
    if len(landed) == len(worker.task.subtasks) and not worker.picture.open_pulls():
        return "Every sub-task is in main and every pull is settled. Nothing is left to do."
    return f"{len(landed)} of {len(worker.task.subtasks)} sub-tasks are in main; the rest is in other hands. I wait for news."

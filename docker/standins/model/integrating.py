"""Bring approved pulls into main: try the merge here first, rebase where git stops, check, merge."""

from __future__ import annotations

from collections.abc import Generator

from standins.model.draw import pick
from standins.model.implementing import ask
from standins.model.picture import Pull
from standins.model.reviewing import merges_for_others, object_to
from standins.model.steps import Call, Result
from standins.model.worker import Steps, Worker

LEADER_S = 4.0  # so long a ready pull is left to whoever merged most for others
LEFT_LYING_S = 8.0  # after this long anybody who sees it merges, its author too


def wants_merge(worker: Worker) -> Pull | None:
    """An approved pull that is mine to merge: first whoever merged most for others, then all who do so, then anybody."""
    picture = worker.picture
    for pull in picture.open_pulls():
        if not pull.subtask or not pull.ready(worker.peers):
            continue
        lying = picture.now - pull.ready_since()
        if worker.alone or lying > LEFT_LYING_S:
            return pull
        if pull.author != worker.name and merges_for_others(worker) and (leads(worker, pull) or lying > LEADER_S):
            return pull
    return None


def leads(worker: Worker, pull: Pull) -> bool:
    """Whether nobody but the author has merged more for others than I; equals are told apart by a draw all compute alike."""
    done = {name: worker.picture.merged_for_others(name) for name in [*worker.picture.peers(), worker.name]}
    done.pop(pull.author, None)
    most = max(done.values(), default=0)
    equals = [name for name, merges in done.items() if merges == most]
    return most == 0 or worker.name == pick(equals, "leads", pull.number)[0]


def own_conflict(worker: Worker) -> Pull | None:
    """My open pull that git cannot merge and nobody has approved yet: rebase it before reviewers meet the conflict."""
    for pull in worker.picture.open_pulls():
        if pull.author == worker.name and pull.mergeable is False and not pull.reviews and pull.subtask:
            return pull
    return None


def rebase(worker: Worker, pull: Pull) -> Generator[Call, Result, bool]:
    """Put the branch on main; at a conflict keep both sides. True if it is pushed and passes."""
    subtask = worker.subtask(pull.subtask)
    result = yield from worker.shell(
        worker.sh.rebase(pull.head), f"#{pull.number} conflicts with main; rebasing {pull.head}."
    )
    rounds = 0
    while not result.ok and "CONFLICT" in result.output and rounds < 3:
        result = yield from worker.shell(worker.sh.resolve(), "Both sides add a line to the table; keeping both.")
        rounds += 1
    if not result.ok:
        return False
    pushed = yield from worker.shell(
        worker.sh.push_rebased(pull.head, subtask), "Checking and pushing the rebased branch."
    )
    return pushed.ok


def rebase_own(worker: Worker, pull: Pull) -> Steps:
    done = yield from rebase(worker, pull)
    if done:
        yield from ask(worker, pull.number, list(pull.requested))
    yield from worker.look()


def integrate(worker: Worker, pull: Pull) -> Steps:
    """Try the merge locally, run the checks on the result, then merge for real and tell the team."""
    subtask = worker.subtask(pull.subtask)
    result = yield from worker.shell(
        worker.sh.try_merge(pull.head, subtask), f"#{pull.number} is approved; trying the merge here first."
    )
    if not result.ok and "CONFLICT" in result.output:
        done = yield from rebase(worker, pull)
        if not done:
            yield from worker.look()
            return
    elif not result.ok:
        yield from worker.look()
        if worker.picture.pulls[pull.number].open and "differs:" in result.output and pull.author != worker.name:
            yield from object_to(worker, pull, result)
            yield from worker.look()
        return
    merged = yield from worker.call("repo_merge", f"Merging #{pull.number}.", number=pull.number)
    if not merged.error:
        others = "" if pull.author == worker.name else f" of {pull.author}"
        yield from worker.call(
            "chat_post", text=f"Merged #{pull.number}{others}: {subtask.id} is in main. Group {subtask.group} moved."
        )
    yield from worker.look()

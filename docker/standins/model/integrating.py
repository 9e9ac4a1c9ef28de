"""Bring approved pulls into main: try the merge here first, rebase where git stops, check, merge."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from standins.model.draw import pick
from standins.model.implementing import ask
from standins.model.picture import Pull, seconds
from standins.model.reviewing import merges_for_others, object_to
from standins.model.steps import Call, Result
from standins.model.worker import Steps, Worker

PLACE_S = 2.0  # so much longer each further place in the queue waits before it merges
LAST_S = 10.0  # after this long anybody who sees it merges
MERGING_S = 30.0  # so long a merge that was announced is left alone


def wants_merge(worker: Worker) -> Pull | None:
    """An approved pull that is mine to merge: at once for the leading integrator, ever later for those behind it."""
    picture = worker.picture
    for pull in picture.open_pulls():
        if not pull.subtask or not pull.ready(worker.peers) or being_merged(worker, pull):
            continue
        if worker.alone or picture.now - pull.ready_since() > patience(worker, pull):
            return pull
    return None


def merging_notes(worker: Worker, pull: Pull) -> list[dict[str, Any]]:
    """The notes by which workers said that they merge a pull now."""
    return [
        note for note in worker.picture.notes.values() if str(note.get("text")).startswith(f"merging #{pull.number} ")
    ]


def being_merged(worker: Worker, pull: Pull) -> bool:
    """Whether a peer said so a moment ago."""
    return any(
        note.get("worker") != worker.name and worker.picture.now - seconds(note.get("at")) < MERGING_S
        for note in merging_notes(worker, pull)
    )


def patience(worker: Worker, pull: Pull) -> float:
    """How long I leave a ready pull to others. Who merged most for others comes first, then by a draw that all compute alike;
    nobody merged yet: those inclined to. Its author comes last."""
    names = pick([*worker.picture.peers(), worker.name], "merges", pull.number)
    done = {name: worker.picture.merged_for_others(name) for name in names}
    if not any(done.values()):
        return 0.0 if merges_for_others(worker) and pull.author != worker.name else LAST_S
    queue = sorted(names, key=lambda name: (name == pull.author, -done[name], names.index(name)))
    return min(PLACE_S * queue.index(worker.name), LAST_S)


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
    if not worker.alone:
        # the board takes the same words once only: whoever comes second is refused and leaves the pull alone
        tries = len(merging_notes(worker, pull)) + 1
        said = yield from worker.note("OBSERVED", f"merging #{pull.number} {subtask.id}, try {tries}", subtask.id)
        if said.error:
            yield from worker.look()
            return
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

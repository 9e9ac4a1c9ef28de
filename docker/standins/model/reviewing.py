"""Review peers' pulls: run them, approve, or quote a counterexample; withdraw an approval that a counterexample contradicts."""

from __future__ import annotations

from standins.model.draw import pick
from standins.model.implementing import counterexample, last_line
from standins.model.picture import Pull
from standins.model.steps import Result
from standins.model.worker import Steps, Worker

HASTY = 0.55  # first reviewers that run only the quick check before they approve
LOOKS_AGAIN = 0.60  # of those, who run the rest afterwards
EAGER = 0.30  # workers that merge for others without waiting
UNPICKED_S = 15.0  # after this long without enough reviews anybody may review


def reviewed(worker: Worker, pull: Pull) -> bool:
    """Whether my word on the newest commit is already given."""
    latest = pull.latest().get(worker.name)
    return latest is not None and latest.fresh


def wants_review(worker: Worker) -> Pull | None:
    """A peer's pull that waits for a word of mine: I was asked, or nobody came."""
    waiting = [
        pull
        for pull in worker.picture.open_pulls()
        if pull.author != worker.name
        and pull.subtask
        and (asked_again(worker, pull) or (not reviewed(worker, pull) and not pull.objections()))
        and not pull.ready(worker.peers)
        and (worker.name in pull.requested or volunteers(worker, pull))
    ]
    asked = [pull for pull in waiting if worker.name in pull.requested]
    return next(iter(asked or waiting), None)


def asked_again(worker: Worker, pull: Pull) -> bool:
    """Whether the author asks me to look again at what I objected to."""
    return worker.name in pull.requested and any(r.reviewer == worker.name for r in pull.objections())


def volunteers(worker: Worker, pull: Pull) -> bool:
    """A pull nobody picked up: after a while two by a draw that all compute alike, later anybody."""
    waited = worker.picture.now - pull.moved_at()
    if waited > 2 * UNPICKED_S:
        return True
    others = [name for name in [*worker.picture.peers(), worker.name] if name not in (pull.author, *pull.latest())]
    return waited > UNPICKED_S and worker.name in pick(others, "volunteers", pull.number)[:2]


def contradicted(worker: Worker) -> Pull | None:
    """A pull that I approve and a peer objects to, on the same commit."""
    for pull in worker.picture.open_pulls():
        mine = pull.latest().get(worker.name)
        if mine and mine.fresh and mine.verdict == "approved" and pull.objections():
            return pull
    return None


def review(worker: Worker, pull: Pull) -> Steps:
    """Run the branch and give a verdict. A first reviewer may be hasty; the one whose approval makes it mergeable is not."""
    subtask = worker.subtask(pull.subtask)
    question = (pull.number, len(pull.reviews))
    first = not pull.reviews and pull.needed(worker.peers) > 1
    hasty = first and worker.draw("hasty", *question) < HASTY
    result = yield from worker.shell(
        worker.sh.review(pull.head, subtask, quick=hasty), f"Reviewing #{pull.number} of {pull.author}."
    )
    yield from give_verdict(worker, pull, result)
    if hasty and result.ok and worker.draw("looks again", *question) < LOOKS_AGAIN:
        yield from look_again(worker, pull, "I only ran the quick checks; running the rest.")
    yield from worker.look()
    yield from hand_on(worker, pull.number)


def hand_on(worker: Worker, number: int) -> Steps:
    """Tell whoever has merged most for others that a pull became ready by my approval; nobody yet: the merge is anybody's."""
    pull = worker.picture.pulls[number]
    latest = max(pull.approvals(), key=lambda approval: approval.at, default=None)
    if not pull.ready(worker.peers) or latest is None or latest.reviewer != worker.name:
        return
    if merges_for_others(worker):
        return
    done = {name: worker.picture.merged_for_others(name) for name in worker.picture.peers() if name != pull.author}
    most = max(done.values(), default=0)
    if most:
        name = worker.order([name for name, merges in done.items() if merges == most], "integrator")[0]
        text = f"#{number} {pull.subtask} has its approvals; you merge for the team: please take it."
        yield from worker.call("chat_direct", to=name, text=text)


def merges_for_others(worker: Worker) -> bool:
    """Some integrate by inclination, drawn from the prompt; who has done it once goes on doing it."""
    return worker.picture.merged_for_others(worker.name) > 0 or worker.draw("integrates") < EAGER


def give_verdict(worker: Worker, pull: Pull, result: Result) -> Steps:
    """Approve what passed; else quote the difference in the review and on the board."""
    passed = last_line(result, "passed")
    if result.ok:
        yield from worker.call(
            "repo_review",
            f"#{pull.number} does what I tried.",
            number=pull.number,
            verdict="approve",
            text=f"check.py {pull.subtask}: {passed}",
        )
    else:
        yield from object_to(worker, pull, result)


def object_to(worker: Worker, pull: Pull, result: Result) -> Steps:
    """Request changes with the counterexample, and tell whoever approved it."""
    found = counterexample(result)
    yield from refute(worker, pull, found, f"#{pull.number} differs from the reference.", "Counterexample:", "differs:")
    for approval in pull.approvals():
        if approval.reviewer != worker.name:
            yield from worker.call(
                "chat_direct",
                to=approval.reviewer,
                text=f"You approved #{pull.number}; I have a counterexample: {found}"[:500],
            )


def look_again(worker: Worker, pull: Pull, say: str) -> Steps:
    """Run everything on a pull that I approved; withdraw the approval if it fails."""
    subtask = worker.subtask(pull.subtask)
    result = yield from worker.shell(worker.sh.review(pull.head, subtask, quick=False), say)
    if result.ok or not last_line(result, "passed"):
        return
    opening = "I take my approval back. Counterexample:"
    say = f"I approved #{pull.number} too early."
    yield from refute(worker, pull, counterexample(result), say, opening, "differs, approval withdrawn:")


def refute(worker: Worker, pull: Pull, found: str, say: str, opening: str, news: str) -> Steps:
    """Request changes with a counterexample, in a review that begins with `opening` and a note that has `news` before it."""
    text = f"{opening} {found}"[:600]
    yield from worker.call("repo_review", say, number=pull.number, verdict="request_changes", text=text)
    text = f"#{pull.number} {pull.subtask} {news} {found}"
    yield from worker.note("OBSERVED", text if len(text) <= 100 else text[:98] + "..", pull.subtask, found[:2000])


def reconsider(worker: Worker, pull: Pull) -> Steps:
    """A peer objects to what I approved: run it all, then withdraw or stand by it."""
    by = pull.objections()[0].reviewer
    yield from look_again(worker, pull, f"{by} objects to #{pull.number}, which I approved; running everything.")
    yield from worker.look()

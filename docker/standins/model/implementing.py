"""Build a claimed sub-task: branch, module, checks, push, pull. A first attempt may be wrong; some faults are seen, some are not."""

from __future__ import annotations

from standins.model.claiming import own_claim, rivals, settle
from standins.model.picture import Claim, Pull
from standins.model.steps import Result
from standins.model.task import SubTask
from standins.model.worker import Steps, Worker

PLAIN_FAULT, SUBTLE_FAULT = 0.30, 0.45  # shares of first attempts
GIVES_UP = 0.60  # of those whose own check fails
GIVES_UP_A_PULL = 0.12  # of those whose pull was sent back
CHECKS_ALL = 0.30  # authors that run more than the quick check


def attempt(worker: Worker, subtask: SubTask) -> str:
    """Which variant the first attempt is. Who takes over from a peer knows its plain fault."""
    failed = worker.picture.failures(subtask.id)
    luck = worker.draw(subtask.id, "attempt", len(failed))
    if luck < PLAIN_FAULT and not failed:
        return "faulty-2"
    return "faulty-1" if luck < PLAIN_FAULT + SUBTLE_FAULT else "good"


def branch_of(worker: Worker, claim: Claim) -> str:
    return f"{worker.name}/n{claim.note}-{claim.subtask}" if claim.note else f"{worker.name}/{claim.subtask}"


def last_line(result: Result, word: str) -> str:
    """The last line of a command's output that holds the word."""
    return next((line.strip() for line in reversed(result.output.splitlines()) if word in line), "")


def counterexample(result: Result) -> str:
    """The first difference that the check printed: command, what the reference says, what the program says."""
    lines = [line.strip() for line in result.output.splitlines()]
    for n, line in enumerate(lines):
        if line.startswith("differs:"):
            return " ".join([line.removeprefix("differs:").strip(), *lines[n + 1 : n + 3]])
    return (lines[-3:] or ["the build fails"])[0]


def implement(worker: Worker, claim: Claim) -> Steps:
    """From a claim to a pull with reviewers, or to a FAIL note."""
    subtask, branch = worker.subtask(claim.subtask), branch_of(worker, claim)
    yield from worker.shell(
        worker.sh.start(branch, "origin/main", subtask), f"Starting {subtask.id}; what does the documentation ask?"
    )
    variant = attempt(worker, subtask)
    result = yield from worker.shell(worker.sh.write(subtask, variant, quick=True), f"Writing {subtask.path}.")
    if not result.ok:
        if worker.draw(subtask.id, "give up") < GIVES_UP and not worker.alone:
            yield from give_up(worker, subtask, result)
            return
        variant = "good" if worker.draw(subtask.id, "second attempt") < 0.5 else "faulty-1"
        result = yield from worker.shell(worker.sh.write(subtask, variant, quick=True), "That was wrong; once more.")
    if worker.alone or worker.draw(subtask.id, "checks all") < CHECKS_ALL:
        result = yield from worker.shell(worker.sh.check(subtask), "Now all of its acceptance checks.")
        if not result.ok:
            yield from worker.note("OBSERVED", f"{subtask.id}: {counterexample(result)}"[:97] + "..", subtask.id)
            result = yield from worker.shell(worker.sh.write(subtask, "good", quick=False), "Found it; mending.")
    yield from worker.look(f"Is {subtask.id} still mine?")
    yield from settle(worker)
    mine = own_claim(worker)
    if mine is None or mine.subtask != subtask.id:
        mine = None if rivals(worker, claim) or taken(worker, claim) else claim
    if mine is None:
        yield from worker.shell(worker.sh.drop(), f"{subtask.id} is in other hands; dropping my branch.")
        return
    yield from publish(worker, mine, branch, last_line(result, "passed"))


def taken(worker: Worker, claim: Claim) -> bool:
    """Whether the sub-task landed, has an open pull, or I released it."""
    pulls = worker.picture.pulls_of(claim.subtask)
    released = any(
        note.get("worker") == worker.name and f"release n{claim.note}:" in str(note.get("text"))
        for note in worker.picture.notes.values()
    )
    return released or any(pull.open or pull.merged for pull in pulls)


def publish(worker: Worker, claim: Claim, branch: str, evidence: str) -> Steps:
    """Push, say what was done, open the pull, ask two peers."""
    subtask = worker.subtask(claim.subtask)
    title = f"{subtask.id}: {subtask.title}"
    pushed = yield from worker.shell(worker.sh.push(branch, list(subtask.good), title), "Pushing my branch.")
    if not pushed.ok:
        return
    yield from worker.note(
        "PATCH_SUMMARY",
        f"files={subtask.path}, {worker.task.table} | idea={subtask.title} in one module, one line in the table "
        f"| evidence=check.py {subtask.id}: {evidence or 'built'}",
        subtask.id,
    )
    body = f"Sub-task `{subtask.id}`: `{subtask.path}` and its line in `{worker.task.table}`.\n\nChecked: {evidence}"
    named = {"claim": claim.note} if claim.note else {}
    opened = yield from worker.call(
        "repo_open_pull", "Opening the pull.", branch=branch, title=title, body=body, **named
    )
    if opened.error or "number" not in opened.data:
        return
    if not worker.alone:
        yield from ask(worker, int(opened.data["number"]), [])
    yield from worker.look()  # else the sub-task still looks unbuilt, and is built once more


def ask(worker: Worker, number: int, first: list[str]) -> Steps:
    """Ask two peers for a review: those named, then those whose earlier reviews of mine held, then by draw."""
    earlier = [
        review.reviewer
        for pull in worker.picture.pulls.values()
        if pull.author == worker.name and pull.merged
        for review in pull.latest().values()
    ]
    drawn = worker.order(worker.picture.peers(), "reviewer", number)
    trusted = sorted(set(earlier) & set(drawn), key=lambda name: (-earlier.count(name), drawn.index(name)))[:1]
    chosen = list(dict.fromkeys([*first, *trusted, *drawn]))[:2]
    if chosen:
        yield from worker.call("repo_request_review", number=number, reviewers=chosen)


def give_up(worker: Worker, subtask: SubTask, result: Result) -> Steps:
    """Say on the board that it does not work and why, so that somebody else can."""
    failed = yield from worker.note(
        "FAIL", f"{subtask.id}: giving up, my attempt fails its checks", subtask.id, counterexample(result)[:600]
    )
    if not failed.error:
        yield from worker.call(
            "chat_post",
            f"I do not get {subtask.id} right.",
            text=f"I give {subtask.id} up ({last_line(result, 'passed') or 'the build fails'}); details in my FAIL note. Free to take.",
        )
    yield from worker.shell(worker.sh.drop())
    yield from worker.look()


def fix(worker: Worker, pull: Pull) -> Steps:
    """Answer a review that asked for changes; now and then an author has had enough."""
    subtask = worker.subtask(pull.subtask)
    objectors = [review.reviewer for review in pull.objections()]
    started = yield from worker.shell(
        worker.sh.start(pull.head, f"origin/{pull.head}", subtask),
        f"#{pull.number} was sent back; reading the counterexample.",
    )
    if not started.ok:
        return
    tried = sum(not review.fresh for review in pull.reviews)
    if not tried and worker.draw(subtask.id, "give the pull up") < GIVES_UP_A_PULL:
        yield from worker.call(
            "repo_close", number=pull.number, reason=f"I cannot mend this; {subtask.id} is free to take."
        )
        yield from give_up(worker, subtask, Result(pull.objections()[0].text))
        return
    result = yield from worker.shell(worker.sh.write(subtask, "good", quick=False), "Mending the module.")
    if not result.ok:
        return
    pushed = yield from worker.shell(
        worker.sh.push(pull.head, list(subtask.good), f"{subtask.id}: Mend what the review found"), "Pushing the fix."
    )
    if pushed.ok:
        yield from ask(worker, pull.number, objectors)
    yield from worker.look()

"""Every harness does the same work: one list of sentences for all four, on the real CLIs, in a sandbox with nothing but loopback."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runs.backends.sandbox.fence import FIRST_UID
from runs.harnesses import HARNESSES, package
from tests.clis.installed import needs
from tests.clis.namespace import nothing_but_loopback
from tests.clis.stack import BUILT, FREE, running
from tests.clis.tokens import compared
from tests.clis.worker import Told, work
from trajectories.events import iso

pytestmark = pytest.mark.clis
CONFORMS: list[Callable[[Told], None]] = []
#: What a CLI asks for although it is told not to, and cannot get. Copilot and Claude Code: nothing.
TRIES = {"codex": {"dns chatgpt.com:53", "dns github.com:53", "dns api.github.com:53"}}


def sentence(check: Callable[[Told], None]) -> Callable[[Told], None]:
    CONFORMS.append(check)
    return check


@pytest.fixture(scope="module", params=list(HARNESSES))
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """One run of each harness; its sentences are checked one by one."""
    needs(request.param)
    folder: Path = tmp_path_factory.mktemp(request.param)
    with nothing_but_loopback(folder / "outside.jsonl") as outside, running(folder) as stack:
        yield replace(work(request.param, stack), outside=outside)


@sentence
def opens_one_session_under_its_own_name_and_version(told: Told) -> None:
    (opened,) = told.of("session.opened")
    pinned = package(told.harness)
    assert opened["harness"] == f"{told.harness}/{pinned.version if pinned else '1.0'}"


@sentence
def is_prompted_and_ends_its_turn_by_itself(told: Told) -> None:
    assert told.of("turn.started")[0]["trigger"] == "first"
    ended = told.of("turn.finished")[0]
    assert (ended["stop_reason"], ended["error"]) == ("end_turn", None)


@sentence
def runs_its_shell_and_says_each_exit_code(told: Told) -> None:
    steps = {step["step"]: step for step in told.of("step.started")}
    codes = [end["exit_code"] for end in told.of("step.finished") if steps[end["step"]]["tool"] == "shell"]
    assert len(codes) >= 4
    assert set(codes) == {0}


@sentence
def calls_the_teams_tools_by_their_plain_names(told: Told) -> None:
    tools = Counter(step["tool"] for step in told.of("step.started"))
    wanted = {
        "shell",
        "board_read",
        "board_write",
        "repo_pulls",
        "repo_review",
        "repo_open_pull",
        "repo_request_review",
    }
    assert wanted <= set(tools) <= wanted | {"chat_post", "chat_direct"}


@sentence
def finishes_every_step_that_it_starts(told: Told) -> None:
    tools = {step["step"]: step["tool"] for step in told.of("step.started")}
    ended = {end["step"]: end["status"] for end in told.of("step.finished")}
    assert sorted(tools) == sorted(ended)
    assert {tools[step] for step, status in ended.items() if status != "completed"} <= {"board_write"}  # a refused note


@sentence
def claims_on_the_board(told: Told) -> None:
    """It may give its claim up and try again, as the draw has it: every claim is on the one free sub-task."""
    notes = [note for note in told.stack.board() if note["worker"] == "w0001"]
    assert {note["delegation_id"] for note in notes if note["type"] == "CLAIM"} == {FREE}
    assert [note["type"] for note in notes if note["delegation_id"] == FREE][-1] == "PATCH_SUMMARY"


@sentence
def pushes_a_branch_of_its_own_with_its_name_on_the_commit(told: Told) -> None:
    branch = next(b for b in told.stack.forge("/branches") if b["name"].startswith("w0001/"))
    assert branch["name"].endswith(f"-{FREE}")
    assert branch["commit"]["author"]["email"] == "w0001@workers.invalid"


@sentence
def opens_a_pull_that_names_its_claim_and_asks_for_reviews(told: Told) -> None:
    (pull,) = [p for p in told.stack.forge("/pulls?state=all") if p["user"]["login"] == "w0001"]
    claim = max(n["note"] for n in told.stack.board() if n["worker"] == "w0001" and n["type"] == "CLAIM")
    assert f"Claim: n{claim}" in pull["body"]
    assert [user["login"] for user in pull["requested_reviewers"]] == ["w0002"]


@sentence
def reviews_its_peers_pull_after_running_it(told: Told) -> None:
    reviews = [r for r in told.stack.forge("/pulls/1/reviews") if r["user"]["login"] == "w0001"]
    assert [review["state"] for review in reviews if review["state"] != "REQUEST_REVIEW"] == ["APPROVED"]
    assert f"check.py {BUILT}: passed" in reviews[-1]["body"]


@sentence
def counts_the_tokens_that_the_gateway_counted(told: Told) -> None:
    """Of every turn that ended normally; `tokens.py` says what is left out and why."""
    rows = [
        {"kind": "request.metered", "source": "gateway", "seq": r["n"], "at": r["at"], "fields": r}
        for r in told.stack.ledger()
    ]
    said = [
        {
            "kind": e.kind,
            "source": e.source,
            "seq": e.seq,
            "id": e.id,
            "at": iso(e.at),
            "worker": e.worker,
            "fields": e.fields,
        }
        for e in told.events
    ]
    turns = compared([*rows, *said], told.harness)
    normal = [turn for turn in turns if not turn.why]
    assert normal
    assert [turn for turn in normal if not turn.equal] == []
    assert all(turn.metered["output_tokens"] for turn in normal)


@sentence
def asks_the_runs_model_with_the_runs_limits(told: Told) -> None:
    """What the README's table says is honoured is on the wire."""
    bodies = [body for path, body in told.stack.recorder.asked if body.get("tools") and "count_tokens" not in path]
    assert {body["model"] for body in bodies} == {"scripted"}
    assert all(body["stream"] for body in bodies)
    most = {
        body.get("max_tokens") or body.get("max_output_tokens") or body.get("max_completion_tokens") for body in bodies
    }
    assert most == ({None} if told.harness == "codex" else {128_000})
    efforts = {
        body.get("reasoning_effort")
        or (body.get("reasoning") or {}).get("effort")
        or (body.get("output_config") or {}).get("effort")
        for body in bodies
    }
    assert efforts == {"high"}


@sentence
def is_given_the_teams_tools_over_http_and_nothing_else(told: Told) -> None:
    """Copilot drops a server on stdio without a word."""
    asked = next(item["msg"]["params"] for item in told.items if item["msg"].get("method") == "session/new")
    assert [(server["type"], server["name"]) for server in asked["mcpServers"]] == [("http", "team")]


@sentence
def keeps_its_own_log_with_the_run(told: Told) -> None:
    """Copilot's says what ACP does not: every model call, its errors and its retries."""
    if told.harness == "copilot":
        (log,) = (told.place / "home" / ".copilot" / "session-state").glob("*/events.jsonl")
        assert '"session.usage_record"' in log.read_text()
        (kept,) = [item["msg"] for item in told.items if item["msg"].get("kind") == "agent.logged"]
        text = kept["text"]
        if not isinstance(text, str):  # it travels as a blob, as every long text does
            text = (told.place / "spool" / "blobs" / text["$cut"]["sha256"]).read_text()
        assert text == log.read_text()
    assert (told.place / "home").is_dir()


@sentence
def runs_as_a_user_of_its_own(told: Told) -> None:
    """Its files belong to it."""
    wanted = {os.geteuid() or FIRST_UID + 1}
    assert {path.stat().st_uid for path in (told.place / "work").iterdir()} == wanted


@sentence
def tries_nothing_outside_but_what_is_listed(told: Told) -> None:
    print(f"{told.harness} tried: {', '.join(told.attempts()) or 'nothing'}")
    assert set(told.attempts()) <= TRIES.get(told.harness, set())


@sentence
def no_connection_leaves_the_namespace_in_which_it_all_runs(told: Told) -> None:
    """Model, gateway, board, forge, chat and the worker's loop are in it too, and none of them tries: the agents' tries end in their own."""
    assert told.outside is not None
    assert told.outside.interfaces == ["lo"]
    assert told.outside.attempts() == []


@sentence
def is_gone_with_all_it_started_when_it_is_stopped(told: Told) -> None:
    assert told.exit_code == 0
    assert told.survivors == []


@pytest.mark.parametrize("check", CONFORMS, ids=lambda check: check.__name__)
def test_a_harness(told: Told, check: Callable[[Told], None]) -> None:
    check(told)

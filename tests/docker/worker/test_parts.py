"""The loop's small parts: configuration, reminders, commands, notices, prompts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worker.__main__ import prompt_file
from worker.announcements import Announcements
from worker.clients.pulls import shown
from worker.commands import Commands
from worker.config import BadConfig, load
from worker.feeds import RepoFeed
from worker.inbox import Inbox, Item
from worker.notices import notices
from worker.prompts import fill, minutes, nudge, stamped, time_left
from worker.reminders import Reminders

BASE: dict[str, Any] = {"run": "demo", "worker": 17, "life": 1, "name": "w0017", "command": ["true"]}


def config(tmp_path: Path, **more: Any) -> Any:
    (tmp_path / "worker.json").write_text(json.dumps(BASE | more))
    return load(tmp_path / "worker.json")


def test_the_apps_address_is_read_again_and_may_be_a_door_or_a_house(tmp_path: Path) -> None:
    found = config(tmp_path, endpoints={"ingest": {"url": "http://app:1/"}})
    assert found.ingest_url() == "http://app:1/ingest/demo"
    config(tmp_path, endpoints={"ingest": "http://app:2/ingest/demo/acp"})
    assert found.ingest_url() == "http://app:2/ingest/demo"
    (tmp_path / "worker.json").write_text("half a fi")
    assert found.ingest_url() == "http://app:1/ingest/demo"


@pytest.mark.parametrize(
    ("more", "said"),
    [({"life": None}, "int"), ({"command": 3}, "not iterable"), ({"start_at": "soon"}, "soon"), ({"task": 3}, None)],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(
    tmp_path: Path, more: dict[str, Any], said: str | None
) -> None:
    if said is None:
        assert config(tmp_path, **more).task == "3"
        return
    with pytest.raises(BadConfig, match=said):
        config(tmp_path, **more)


def test_reminders_come_once_each_and_a_restarted_worker_hears_the_last_it_missed() -> None:
    now = [0.0]
    reminders = Reminders([300, 2700], 3600, lambda: now[0])
    assert reminders.take() is None and reminders.next_at == 900
    now[0] = 900
    assert (reminders.take(), reminders.take()) == (2700, None)
    now[0] = 3400
    assert (reminders.take(), reminders.next_at) == (200, float("inf"))
    late = Reminders([300, 2700], 3600, lambda: 3500.0, late=True)
    assert (late.take(), late.take()) == (100, None)
    assert Reminders([300, 2700], 240, lambda: 0.0).take() is None
    assert (minutes(2700), minutes(61), minutes(-1)) == (45, 2, 0)


def test_commands_are_read_once_whole_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "commands.jsonl"
    commands = Commands(path)
    assert commands.new() == []
    path.write_text('{"command": "nudge"}\nnonsense\n{"command": "st')
    assert commands.new() == [{"command": "nudge"}]
    assert commands.new() == []
    with path.open("a") as file:
        file.write('op"}\n')
    assert commands.new() == [{"command": "stop"}]
    assert Commands(path, commands.place).new() == []


def test_the_prompt_differs_from_worker_to_worker_by_the_name_alone() -> None:
    template = (Path(__file__).resolve().parents[3] / "docker" / "worker" / "prompt.md").read_text()
    values = {"number": "1", "task": "Rill", "task_folder": "/t", "repository": "http://f/team/rill.git"}
    one, two = (fill(template, values | {"name": name}) for name in ("w0001", "w0002"))
    assert one.startswith("Your name is w0001.\n") and "Task folder: /t\n" in one and "{{" not in one
    assert one.replace("w0001", "w0002") == two
    assert "Claim: n<id>" in one


def test_a_worker_without_peers_is_not_told_of_any(tmp_path: Path) -> None:
    assert prompt_file(config(tmp_path, endpoints={"board": "http://b"})).name == "prompt.md"
    alone = prompt_file(config(tmp_path, endpoints={"forge": {"url": "http://f", "owner": "t", "repo": "r"}}))
    assert alone.name == "prompt-alone.md" and "board" not in alone.read_text()
    assert "Use your full time" in alone.read_text() and "{{minutes}} minutes" in alone.read_text()
    assert "12 minutes are left" in nudge(True, 720) and "full time" not in nudge(False, 720)


def test_a_turns_text_ends_with_the_time_and_the_inbox_in_one_line() -> None:
    item = Item("board", "12", "w0002", "FACT n12: tabs\nare kept", "2026-11-29T09:00:00.000Z")
    words, blank, now, inbox = stamped("You have new messages.", 1_800_000_000.5, [item]).split("\n")
    assert (words, blank) == ("You have new messages.", "") and now == "Now: 2027-01-15T08:00:00.500Z"
    assert json.loads(inbox)["inbox"] == [
        {"feed": "board", "item": 12, "from": "w0002", "text": "FACT n12: tabs\nare kept", "at": item.at}
    ]


def pull(**more: Any) -> dict[str, Any]:
    base = {"number": 7, "title": "Lex", "state": "open", "merged": False, "mergeable": True, "updated_at": "t1"}
    base |= {"user": {"login": "w0001"}, "head": {"ref": "b", "sha": "aaa"}, "requested_reviewers": []}
    return base | more


def review(id: int, login: str, state: str) -> dict[str, Any]:
    return {"id": id, "user": {"login": login}, "state": state, "body": "ran it", "submitted_at": "t2"}


def look(me: str, before: dict[str, Any], *reviews: dict[str, Any], **more: Any) -> tuple[list[str], dict[str, Any]]:
    found, after = notices(me, [pull(**more)], {7: list(reviews)} if reviews else {}, before)
    return [notice.text for notice in found], after


def test_an_author_hears_of_reviews_merges_and_conflicts_once() -> None:
    said, memory = look("w0001", {})
    assert said == []
    said, memory = look("w0001", memory, review(3, "w0002", "APPROVED"), review(4, "w0001", "COMMENT"))
    assert said == ["w0002 approved pull 7 (Lex): ran it"]
    said, memory = look("w0001", memory, review(3, "w0002", "APPROVED"), review(4, "w0001", "COMMENT"))
    assert said == []
    said, memory = look("w0001", memory, mergeable=False)
    assert said == []  # the forge may be testing it anew, as it does after every merge
    assert look("w0001", look("w0001", memory)[1], mergeable=False)[0] == []
    said, memory = look("w0001", memory, mergeable=False)
    assert said == ["pull 7 (Lex) conflicts with main: rebase it"]
    assert look("w0001", memory, mergeable=False)[0] == []
    merged = {"state": "closed", "merged": True, "merged_by": {"login": "w0003"}}
    assert look("w0001", memory, **merged)[0] == ["w0003 merged pull 7 (Lex)"]
    assert look("w0001", memory, state="closed")[0] == ["pull 7 (Lex) was closed without merging"]


def test_a_reviewer_hears_when_it_is_asked_and_when_the_pull_moves_on() -> None:
    asked = {"requested_reviewers": [{"login": "w0002"}]}
    said, memory = look("w0002", {}, **asked)
    assert said == ["w0001 asks for your review of pull 7 (Lex)"]
    assert look("w0002", memory, **asked)[0] == []
    said, memory = look("w0002", memory, head={"ref": "b", "sha": "bbb"})
    assert said == ["pull 7 (Lex) has new commits since you were asked to review it"]
    assert look("w0002", memory, head={"ref": "b", "sha": "bbb"}, **asked)[0] == [
        "w0001 asks for your review of pull 7 (Lex)"
    ]
    assert look("w0003", {}, **asked)[0] == []


def test_a_pull_shows_who_is_waited_for_not_whom_the_forge_names_as_reviewers() -> None:
    named = pull(requested_reviewers=[{"login": "w0002"}, {"login": "w0003"}], base={"ref": "main"})
    rows = [review(1, "w0002", "REQUEST_CHANGES"), review(2, "w0003", "REQUEST_REVIEW")]
    told = shown(named, rows)
    assert told["requested"] == ["w0003"]
    assert [(each["reviewer"], each["verdict"]) for each in told["reviews"]] == [("w0002", "changes_requested")]


def test_who_has_reviewed_is_named_by_the_forge_still_and_not_asked_again_by_that() -> None:
    named = pull(requested_reviewers=[{"login": "w0002"}])
    found, memory = notices("w0002", [named], {}, {}, {7: False})
    assert found == []
    (asked,), _ = notices("w0002", [named], {}, memory, {7: True})
    assert asked.text == "w0001 asks for your review of pull 7 (Lex)"


def test_words_for_a_worker_wait_until_somebody_takes_them_over_restarts_too(tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, Any]]] = []

    def announcements() -> tuple[Announcements, Inbox]:
        inbox = Inbox(tmp_path / "inbox.db", lambda move: None)
        commands = Commands(tmp_path / "commands.jsonl", inbox.recall("commands", 0))
        late = Reminders([300], 1_000, lambda: 800.0, late=True)
        return Announcements(late, commands, inbox, lambda kind, **fields: told.append((kind, fields))), inbox

    lines = ['{"command": "say", "text": "Nine tenths are spent."}', '{"command": "say"}', '{"command": "dance"}']
    (tmp_path / "commands.jsonl").write_text("\n".join(lines) + "\n")
    said, inbox = announcements()
    assert not said.look() and said.waiting and not said.nudged()
    inbox.close()
    said, inbox = announcements()
    with (tmp_path / "commands.jsonl").open("a") as file:
        file.write('{"command": "nudge"}\n{"command": "stop"}\n')
    assert said.look() and said.nudged() and not said.nudged()
    assert [said.take() for _ in range(3)] == ["Nine tenths are spent.", time_left(4), None]
    assert told == [("said", {"text": "Nine tenths are spent."}), ("reminder.sent", {"minutes_left": 4})]
    inbox.close()
    said, inbox = announcements()
    assert not said.waiting
    inbox.close()


class ToldForge:
    """A forge as a worker's feed asks it, and what it was asked."""

    me = "w0001"

    def __init__(self) -> None:
        self.pulls: dict[int, dict[str, Any]] = {}
        self.said: dict[int, list[dict[str, Any]]] = {}
        self.asked: list[str] = []

    async def touched(self, since: str) -> list[dict[str, Any]]:
        self.asked.append(f"touched since {since}")
        return [dict(pull) for pull in self.pulls.values() if pull["updated_at"] >= since]

    async def raw_pull(self, number: int) -> dict[str, Any]:
        self.asked.append(f"pull {number}")
        return dict(self.pulls[number])

    async def reviews(self, number: int) -> list[dict[str, Any]]:
        self.asked.append(f"reviews of {number}")
        return self.said[number]

    async def waits_for_me(self, number: int) -> bool:
        self.asked.append(f"requests of {number}")
        return True


async def test_a_feed_asks_only_for_what_was_touched_and_misses_nothing_within_a_second(tmp_path: Path) -> None:
    forge, inbox = ToldForge(), Inbox(tmp_path / "inbox.db", lambda move: None)
    feed = RepoFeed(forge, inbox)  # type: ignore[arg-type]
    forge.pulls = {7: pull(), 8: pull(number=8, user={"login": "w0009"}, updated_at="t3")}
    forge.said[7] = []
    await feed.step()
    forge.asked.clear()
    await feed.step()
    assert forge.asked == ["touched since t3", "pull 7"], "an own open pull is looked at: its base may have moved"
    for id in (1, 2):  # the second review falls into the same second
        forge.said[7].append(review(id, f"w000{id + 1}", "APPROVED"))
        forge.pulls[7]["updated_at"] = "t4"
        await feed.step()
    told = [item.text for item in inbox.lease(["repo"], "turn", 10)]
    assert [text.split()[0] for text in told] == ["w0002", "w0003"]
    inbox.close()

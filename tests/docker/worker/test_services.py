"""The worker's clients and feeds against the forge and chat of the team, over real HTTP and real git."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.docker.worker.members import Member, team_services, two_members  # noqa: F401
from worker.clients.http import ToolError
from worker.config import load
from worker.tools import Tools
from worker.workplace import environment, furnish


async def test_messages_reach_the_channel_and_the_one_they_are_for(members: tuple[Member, Member]) -> None:
    one, two = members
    posted = await one.chat.post("hello team")
    sent = await one.chat.direct("w0002", "release n3")
    news = await two.news()
    assert [(item.feed, item.sender, item.text) for item in news] == [
        ("channel", "w0001", "hello team"),
        ("direct", "w0001", "release n3"),
    ]
    assert {item.item for item in news} == {posted["message"], sent["message"]}
    assert await one.news() == [] and await two.news() == []
    page = await two.chat.read()
    assert [message["kind"] for message in page["messages"]] == ["channel", "direct"]
    assert (await two.chat.read(page["upto"]))["messages"] == []
    with pytest.raises(ToolError, match="no peer is named 'w0009'"):
        await one.chat.direct("w0009", "x")
    with pytest.raises(ToolError, match="yourself"):
        await one.chat.direct("w0001", "x")


async def test_a_pull_is_opened_reviewed_withdrawn_and_merged(members: tuple[Member, Member]) -> None:
    one, two = members
    one.push("w0001/n12-lexer", "lexer.py", "print(1)")
    opened = await one.forge.open("w0001/n12-lexer", "Lex strings", "Nested too.", claim=12)
    number = opened["number"]
    assert await one.forge.request_review(number, ["w0002"]) == {"number": number, "requested": ["w0002"]}
    (asked,) = await two.news()
    assert asked.text == f"w0001 asks for your review of pull {number} (Lex strings)"

    (pull,) = await two.forge.pulls()
    assert pull["body"].endswith("\n\nClaim: n12") and pull["claim"] == 12
    assert (pull["author"], pull["state"], pull["merged"], pull["requested"]) == ("w0001", "open", False, ["w0002"])
    whole = await two.forge.pull(number)
    assert [file["path"] for file in whole["files"]] == ["lexer.py"]
    assert [(commit["title"], commit["author"]) for commit in whole["commits"]] == [("Write lexer.py", "w0001")]

    await two.forge.review(number, "approve", "ran it: prints 1")
    (told,) = await one.news()
    assert told.text == f"w0002 approved pull {number} (Lex strings): ran it: prints 1"
    taken_back = await two.forge.dismiss_own(number)
    assert len(taken_back["dismissed"]) == 1
    standing = [r for r in (await one.forge.pull(number))["reviews"] if not r["dismissed"]]
    assert standing == []
    with pytest.raises(ToolError, match="no standing review"):
        await two.forge.dismiss_own(number)
    await two.forge.review(number, "request_changes", "empty input crashes")
    assert any("asks for changes" in item.text for item in await one.news())

    one.push("w0001/n12-lexer", "lexer.py", "print(2)")
    assert any("new commits" in item.text for item in await two.news())
    await two.forge.review(number, "approve", "ran it again")
    merged = await two.forge.merge(number)
    assert merged["merged"] is True and merged["sha"]
    assert any(item.text == f"w0002 merged pull {number} (Lex strings)" for item in await one.news())
    assert [pull["merged_by"] for pull in await one.forge.pulls("merged")] == ["w0002"]
    with pytest.raises(ToolError, match="merged already"):
        await one.forge.merge(number)


async def test_a_conflict_is_said_in_words_and_told_to_the_author(members: tuple[Member, Member]) -> None:
    one, two = members
    one.push("w0001/n1-a", "same.py", "one")
    two.push("w0002/n2-b", "same.py", "two")
    first = (await one.forge.open("w0001/n1-a", "One", "", 1))["number"]
    second = (await two.forge.open("w0002/n2-b", "Two", "", 2))["number"]
    await two.news()
    await one.forge.merge(first)
    for _ in range(20):
        told = [item.text for item in await two.news()]
        if told:
            break
        await asyncio.sleep(0.2)
    assert told == [f"pull {second} (Two) conflicts with main: rebase it"]
    with pytest.raises(ToolError, match=r"^conflict: rebase w0002/n2-b on origin/main") as refused:
        await two.forge.merge(second)
    assert refused.value.facts == {"conflict": True}
    assert await two.forge.close(second, "done by n1") == {"number": second, "state": "closed"}
    assert [pull["state"] for pull in await two.forge.pulls("closed")] == ["closed", "closed"]


async def test_a_service_that_is_gone_is_an_answer_not_a_crash(members: tuple[Member, Member], tmp_path: Path) -> None:
    one, _ = members
    one.forge.base = one.chat.base = "http://127.0.0.1:9"
    tools = Tools(one.inbox, None, one.chat, one.forge)
    began = time.monotonic()
    texts, failed = await tools.call("repo_merge", {"number": 1})
    assert failed and json.loads(texts[0]) == {"error": "the forge does not answer (ConnectError)"}
    assert time.monotonic() - began < 10


def test_a_home_holds_the_credentials_and_no_address_does(tmp_path: Path) -> None:
    file: dict[str, Any] = {"run": "demo", "worker": 1, "life": 1, "name": "w0001", "command": ["true"]}
    file["endpoints"] = {"forge": {"url": "http://127.0.0.1:3000", "owner": "team", "repo": "rill"}}
    (tmp_path / "token").write_text("s3cret/+\n")
    file["token_files"] = {"forge": str(tmp_path / "token")}
    (tmp_path / "worker.json").write_text(json.dumps(file))
    config = load(tmp_path / "worker.json")
    furnish(config)
    credentials = config.home / ".git-credentials"
    assert credentials.read_text() == "http://w0001:s3cret%2F%2B@127.0.0.1:3000\n"
    assert credentials.stat().st_mode & 0o077 == 0
    assert config.repository == "http://127.0.0.1:3000/team/rill.git"
    assert "s3cret" not in json.dumps(environment(config))

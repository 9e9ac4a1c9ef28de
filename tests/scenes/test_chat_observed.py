"""What was seen on a real Mattermost, written down, holds for the stand-in; and for a real one where there is one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.docker.standins.team import said
from tests.scenes.chats import StandIn, Team
from tests.scenes.test_chat import REAL

SEEN = json.loads((Path(__file__).parents[1] / "fixtures" / "contracts" / "mattermost_observed.json").read_text())


@pytest.fixture(scope="module", params=[pytest.param(StandIn, id="stand-in"), REAL])
def team(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    made = request.param(tmp_path_factory.mktemp("observed"))
    yield made
    made.close()


def row(team: Team, post: str) -> dict[str, Any]:
    [found] = team.rows(f"SELECT * FROM posts WHERE id = '{post}'")
    return found


def props(row: dict[str, Any]) -> dict[str, Any]:
    return json.loads(row["props"]) if isinstance(row["props"], str) else dict(row["props"])


def test_statuses_and_errors(team: Team) -> None:
    one, two, admin = team.api["w0001"], team.api["w0002"], team.api["agensh"]
    post = team.post("w0001", "one")["id"]
    gone = team.post("w0001", "gone")["id"]
    team.delete("w0001", gone)
    team.react("w0002", post, "eyes")
    team.unreact("w0002", post, "eyes")
    direct = team.direct("w0001", "w0002")
    team.post("w0001", "psst", direct)
    answers = {
        "a bot's name taken": admin.post("/bots", json={"username": "w0001", "display_name": "w0001"}),
        "unknown user": one.get("/users/username/nobody"),
        "unknown team": admin.get("/teams/name/none"),
        "unknown channel": admin.get(f"/teams/{team.team}/channels/name/none"),
        "unknown token": httpx.get(f"{team.url}/api/v4/users/me", headers={"Authorization": "Bearer x"}),
        "blank message": one.post("/posts", json={"channel_id": team.channel, "message": " "}),
        "message of 16384 characters": one.post("/posts", json={"channel_id": team.channel, "message": "x" * 16_384}),
        "edit of another's post": two.put(f"/posts/{post}/patch", json={"message": "mine"}),
        "direct channel of others": team.api["w0003"].get(f"/channels/{direct}/posts"),
        "direct channel of others, administrator": admin.get(f"/channels/{direct}/posts"),
        "taking back a reaction that was taken back": two.delete(f"/users/me/posts/{post}/reactions/eyes"),
        "deleted post": one.get(f"/posts/{gone}"),
    }
    assert {name: answer.status_code for name, answer in answers.items()} == SEEN["statuses"]
    assert {name: answers[name].json()["id"] for name in SEEN["errors"]} == SEEN["errors"]


def test_shapes(team: Team) -> None:
    assert sorted(said(team.api["agensh"].get("/limits/server"))) == SEEN["limits"]
    post = team.post("w0001", "one")
    assert sorted(post) == SEEN["post keys"]
    team.react("w0002", post["id"], "eyes")
    assert sorted(row(team, post["id"])) == SEEN["post columns"]
    assert sorted(team.rows("SELECT * FROM reactions LIMIT 1")[0]) == SEEN["reaction columns"]


def test_rows_of_an_edited_post(team: Team) -> None:
    post = team.post("w0001", "one")["id"]
    time.sleep(0.01)
    edited = team.edit("w0001", post, "two")["edit_at"]
    [history] = team.rows(f"SELECT * FROM posts WHERE originalid = '{post}'")
    for name, found in (("history", history), ("post", row(team, post))):
        wanted = SEEN["an edited post"][name]
        shown = {**found, "props": props(found), "hasreactions": bool(found["hasreactions"])}
        shown |= {key: "EDITED" for key in ("editat", "deleteat", "updateat") if shown[key] == edited}
        shown["originalid"] = "POST" if shown["originalid"] == post else shown["originalid"]
        assert {key: shown[key] for key in wanted} == wanted


def test_a_reply_deleted_twice(team: Team) -> None:
    root = team.post("w0001", "root")["id"]
    reply = team.post("w0002", "reply", root_id=root)["id"]
    team.delete("w0002", reply)
    first = row(team, reply)
    time.sleep(0.01)
    team.delete("agensh", root)
    second = row(team, reply)
    names = {id: name for name, id in team.ids.items()}
    told = SEEN["a reply deleted by its author, then its thread by the administrator"]
    assert names[props(first)["deleteBy"]] == told["after the reply"]["deleteBy"]
    assert names[props(second)["deleteBy"]] == told["after the thread"]["deleteBy"]
    assert second["deleteat"] == row(team, root)["deleteat"] > first["deleteat"] > 0


def test_a_reaction_keeps_the_time_it_was_first_given(team: Team) -> None:
    post = team.post("w0001", "one")["id"]
    given = team.react("w0002", post, "+1")["create_at"]
    time.sleep(0.01)
    team.unreact("w0002", post, "+1")
    time.sleep(0.01)
    team.react("w0002", post, "+1")
    [found] = team.rows(f"SELECT * FROM reactions WHERE postid = '{post}'")
    assert (found["createat"], found["deleteat"]) == (given, 0)
    assert found["updateat"] > given


def test_what_the_chat_says_of_joining(team: Team) -> None:
    said_there = {(each["type"], each["message"]) for each in team.rows("SELECT type, message FROM posts")}
    assert {tuple(each) for each in [*SEEN["joining"], SEEN["greeting"]]} <= said_there

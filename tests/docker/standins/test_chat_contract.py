"""The chat speaks Mattermost: official calls, official types; rows as its database keeps them."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import httpx
import pytest

from standins.chat.app import CALLS
from standins.chat.handlers import HANDLERS
from tests.docker.standins.official import gitea_problems, mattermost_problems, routes
from tests.docker.standins.service import PASSWORD, running
from tests.docker.standins.team import ChatTeam, said

OFFICIAL = routes("mattermost")


def test_every_call_is_an_official_one() -> None:
    assert set(HANDLERS.found) == {(call["method"], call["route"]) for call in CALLS}
    for call in CALLS:
        official = OFFICIAL[(call["method"], call["route"])]
        assert (call["operation"], call["query"], call["body"]) == (
            official["operation"],
            official["query"],
            official["body"],
        )


def test_the_oracles_find_faults() -> None:
    assert gitea_problems("User", {"id": "one"})
    assert gitea_problems("User", {"id": 1, "nickname": "x"})
    assert mattermost_problems("Post", {"id": 7})
    assert mattermost_problems("Post", {"id": "x", "colour": "red"})


class Witness:
    """Sees every answer and holds it against the official type."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()
        self.problems: list[str] = []

    def __call__(self, answer: httpx.Response) -> None:
        path = answer.request.url.path
        fitting = [
            call
            for call in CALLS
            if call["method"] == answer.request.method
            and re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(call["route"])), path)
        ]
        found = min(fitting, key=lambda call: call["route"].count("{"), default=None)
        if found is None or answer.status_code >= 400:
            return
        answer.read()
        self.seen.add((found["method"], found["route"]))
        told = answer.json()
        kind = (
            f"List[{found['answers']}]"
            if path.endswith("/members") and isinstance(told, list) and found["method"] == "POST"
            else found["answers"]
        )
        self.problems += [f"{path}: {each}" for each in mattermost_problems(kind, told)]


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Witness:
    """A life of a team that makes every listed call at least once."""
    seen = Witness()
    with running("standins.chat", tmp_path_factory.mktemp("contract")) as service:
        team = ChatTeam(service, event_hooks={"response": [seen]})
        _live(team)
        for client in team.api.values():
            client.close()
    return seen


def _live(team: ChatTeam) -> None:
    admin, one, two = team.api["agensh"], team.api["w0001"], team.api["w0002"]
    for path in ("/system/ping", "/limits/server", "/users/me", "/users/username/w0001", "/teams/name/agensh",
                 f"/channels/{team.channel}", f"/teams/{team.team}/channels/name/team",
                 f"/channels/{team.channel}/members", "/users/me/channels", f"/users/me/teams/{team.team}/channels"):  # fmt: skip
        said(admin.get(path))
    said(one.post("/users/ids", json=[team.ids["w0002"]]))
    said(one.post("/users/usernames", json=["w0002", "w0003"]))
    for where in ("", f"in_team={team.team}", f"in_channel={team.channel}"):
        said(admin.get(f"/users?per_page=2&page=1&{where}"))
    all_of_them = [{"team_id": team.team, "user_id": id} for id in team.ids.values()]
    said(admin.post(f"/teams/{team.team}/members/batch", json=all_of_them))
    said(admin.post(f"/channels/{team.channel}/members", json={"user_ids": list(team.ids.values())}))
    post = team.post("w0001", "who takes the lexer?")["id"]
    team.post("w0002", "I do", root_id=post)
    said(one.put(f"/posts/{post}/patch", json={"message": "who takes the lexer? (n1)"}))
    said(two.post("/reactions", json={"user_id": team.ids["w0002"], "post_id": post, "emoji_name": "+1"}))
    for path in (f"/posts/{post}", f"/posts/{post}/thread", f"/posts/{post}/reactions",
                 f"/channels/{team.channel}/posts", f"/channels/{team.channel}/posts?since=0"):  # fmt: skip
        said(two.get(path))
    said(two.delete(f"/users/me/posts/{post}/reactions/+1"))
    team.post("w0001", "psst", team.direct("w0001", "w0002"))
    said(one.delete(f"/posts/{post}"))


def test_every_answer_has_the_official_type(witness: Witness) -> None:
    assert not witness.problems, "\n".join(witness.problems[:20])


def test_every_listed_call_was_made(witness: Witness) -> None:
    assert witness.seen == {(call["method"], call["route"]) for call in CALLS}


def rows(chat: ChatTeam, sql: str, *values: Any) -> list[dict[str, Any]]:
    """The chat's tables, read as the poller reads them."""
    db = sqlite3.connect(f"file:{chat.service.data_dir / 'chat.db'}?mode=ro", uri=True)  # type: ignore[attr-defined]
    try:
        found = db.execute(sql, values)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]
    finally:
        db.close()


def test_an_edit_leaves_the_old_text_as_a_row(chat: ChatTeam) -> None:
    id = chat.post("w0001", "first")["id"]
    said(chat.api["w0001"].put(f"/posts/{id}/patch", json={"message": "second"}))
    [now] = rows(chat, "SELECT * FROM posts WHERE id = ?", id)
    [before] = rows(chat, "SELECT * FROM posts WHERE originalid = ?", id)
    assert (now["message"], before["message"]) == ("second", "first")
    assert now["editat"] == now["updateat"] == before["deleteat"] == before["updateat"] > 0
    assert before["createat"] == now["createat"]
    assert now["deleteat"] == 0


def test_a_reply_and_a_reaction_touch_the_root(chat: ChatTeam) -> None:
    id = chat.post("w0001", "root")["id"]
    [before] = rows(chat, "SELECT * FROM posts WHERE id = ?", id)
    reply = chat.post("w0002", "reply", root_id=id)
    [after] = rows(chat, "SELECT * FROM posts WHERE id = ?", id)
    assert after["updateat"] == reply["create_at"] >= before["updateat"]
    assert (after["editat"], after["deleteat"], after["message"]) == (0, 0, "root")
    for _ in range(2):
        said(
            chat.api["w0002"].post(
                "/reactions", json={"user_id": chat.ids["w0002"], "post_id": id, "emoji_name": "eyes"}
            )
        )
        said(chat.api["w0002"].delete(f"/users/me/posts/{id}/reactions/eyes"))
    [reaction] = rows(chat, "SELECT * FROM reactions WHERE postid = ?", id)
    assert reaction["deleteat"] == reaction["updateat"] >= reaction["createat"] > 0
    assert rows(chat, "SELECT updateat FROM posts WHERE id = ?", id)[0]["updateat"] == reaction["updateat"]


def test_a_deleted_post_keeps_its_row(chat: ChatTeam) -> None:
    id = chat.post("w0001", "gone")["id"]
    said(chat.api["w0001"].delete(f"/posts/{id}"))
    [row] = rows(chat, "SELECT * FROM posts WHERE id = ?", id)
    assert row["deleteat"] == row["updateat"] > 0
    assert chat.api["w0001"].get(f"/posts/{id}").status_code == 404
    since = said(chat.api["w0002"].get(f"/channels/{chat.channel}/posts", params={"since": row["updateat"] - 1}))
    assert since["posts"][id]["delete_at"] == row["deleteat"]


def test_joining_is_told_by_system_posts_and_a_bot_greets_its_owner(chat: ChatTeam) -> None:
    kinds = {row["type"] for row in rows(chat, "SELECT DISTINCT type FROM posts")}
    assert {"system_add_to_team", "system_add_to_channel", "add_bot_teams_channels"} <= kinds


def test_a_direct_message_is_seen_by_two(chat: ChatTeam) -> None:
    channel = chat.direct("w0001", "w0002")
    assert chat.direct("w0002", "w0001") == channel
    chat.post("w0001", "you were first", channel)
    texts = [each["message"] for each in said(chat.api["w0002"].get(f"/channels/{channel}/posts"))["posts"].values()]
    assert texts == ["you were first"]
    assert chat.api["w0003"].get(f"/channels/{channel}/posts").status_code == 403
    assert chat.api["w0003"].post("/posts", json={"channel_id": channel, "message": "me too"}).status_code == 403
    [row] = rows(chat, "SELECT * FROM channels WHERE id = ?", channel)
    assert (row["type"], row["teamid"], row["name"]) == (
        "D",
        "",
        "__".join(sorted([chat.ids["w0001"], chat.ids["w0002"]])),
    )


def test_posts_after_a_post_are_the_newer_ones(chat: ChatTeam) -> None:
    first = chat.post("w0001", "one")["id"]
    later = [chat.post("w0002", text)["id"] for text in ("two", "three")]
    got = said(chat.api["w0001"].get(f"/channels/{chat.channel}/posts", params={"after": first}))
    assert got["order"] == later[::-1]


def test_bots_are_no_users_of_the_limit(chat: ChatTeam) -> None:
    limits = said(chat.api["agensh"].get("/limits/server"))
    assert (limits["activeUserCount"], limits["maxUsersLimit"], limits["maxUsersHardLimit"]) == (1, 200, 250)


def test_wrong_words_and_tokens_are_refused(chat: ChatTeam) -> None:
    base = chat.service.url + "/api/v4"  # type: ignore[attr-defined]
    assert httpx.post(base + "/users/login", json={"login_id": "agensh", "password": "no"}).status_code == 401
    assert httpx.get(base + "/users/me").status_code == 401
    refused = httpx.get(base + "/users/me", headers={"Authorization": "Bearer x"})
    assert set(refused.json()) == {"id", "message", "detailed_error", "request_id", "status_code"}
    assert PASSWORD not in refused.text


@pytest.mark.parametrize("body", [b"{", b"\xff", b"7", b'{"channel_id": 7}', b'{"message": null}'])
def test_broken_bodies_get_an_answer(chat: ChatTeam, body: bytes) -> None:
    assert 400 <= chat.api["w0001"].post("/posts", content=body).status_code < 500

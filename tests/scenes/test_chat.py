"""What happens in a team's chat, scene by scene: each once, with the right worker, time and meaning.

The same scenes on the stand-in and, where AGENSH_MATTERMOST names one, on a real Mattermost.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from tests.scenes.chats import Real, StandIn, Team
from tests.scenes.listener import Heard

pytestmark = pytest.mark.django_db(transaction=True)
REAL = pytest.param(
    Real,
    marks=[
        pytest.mark.real,
        pytest.mark.skipif(
            not os.environ.get("AGENSH_MATTERMOST"),
            reason="NOT RUN against a real Mattermost: AGENSH_MATTERMOST names none",
        ),
    ],
    id="real",
)


@pytest.fixture(scope="module", params=[pytest.param(StandIn, id="stand-in"), REAL])
def team(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    made = request.param(tmp_path_factory.mktemp("chat"))
    yield made
    made.close()


@pytest.fixture
def heard(team: Team) -> Heard:
    """A run that has read everything up to now."""
    run = Heard(f"scene-{time.time_ns()}", team.endpoints, team.roster)
    run.hear("mattermost")
    return run


def told(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """(kind, worker or actor, message)"""
    return [(each["kind"], each["worker"] or each["actor"], each["fields"]["message"]) for each in events]


def ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000)


def test_system_posts_and_greetings_of_bots_are_no_messages(team: Team, heard: Heard) -> None:
    before = {each["fields"]["text"] for each in heard.events("mattermost") if each["kind"] == "message.posted"}
    assert not [text for text in before if "added to" in text or "Please add me" in text or "joined" in text]


def test_a_post(team: Team, heard: Heard) -> None:
    post = team.post("w0001", "I take the lexer: `src/lex.c` <b>now</b>")
    [event] = heard.hear("mattermost")
    assert told([event]) == [("message.posted", 1, post["id"])]
    assert (ms(event["at"]), ms(event["said_at"])) == (post["create_at"], post["create_at"])
    fields = event["fields"]
    assert (fields["kind"], fields["channel"], fields["to"], fields["reply_to"]) == ("channel", "team", [], None)
    assert fields["text"] == "I take the lexer: `src/lex.c` <b>now</b>"


def test_an_edit(team: Team, heard: Heard) -> None:
    post = team.post("w0001", "I take the lexer")
    heard.hear("mattermost")
    edited = team.edit("w0001", post["id"], "I take the parser")
    [event] = heard.hear("mattermost")
    assert told([event]) == [("message.edited", 1, post["id"])]
    assert (ms(event["at"]), event["fields"]["text"]) == (edited["edit_at"], "I take the parser")


def test_a_deletion_by_its_author_and_one_by_the_administrator(team: Team, heard: Heard) -> None:
    own, other = team.post("w0001", "never mind"), team.post("w0002", "wrong room")
    heard.hear("mattermost")
    team.delete("w0001", own["id"])
    time.sleep(0.01)
    team.delete("agensh", other["id"])
    first, second = heard.hear("mattermost")
    assert told([first]) == [("message.deleted", 1, own["id"])]
    assert told([second]) == [("message.deleted", "mattermost:agensh", other["id"])]


def test_a_reaction_given_taken_back_and_given_again(team: Team, heard: Heard) -> None:
    post = team.post("w0001", "done")["id"]
    heard.hear("mattermost")
    for act, kind in ((team.react, "added"), (team.unreact, "removed"), (team.react, "added")):
        act("w0002", post, "+1")
        [event] = heard.hear("mattermost")
        assert told([event]) == [(f"reaction.{kind}", 2, post)]
        assert event["fields"]["emoji"] == "+1"
        assert abs(ms(event["at"]) - time.time() * 1000) < 30_000


def test_a_reply_in_a_thread(team: Team, heard: Heard) -> None:
    root = team.post("w0001", "who takes the lexer?")["id"]
    heard.hear("mattermost")
    reply = team.post("w0002", "I do", root_id=root)["id"]
    [event] = heard.hear("mattermost")
    assert told([event]) == [("message.posted", 2, reply)], "the root is touched, and says nothing new"
    assert event["fields"]["reply_to"] == root


def test_a_thread_deleted_by_its_first_author(team: Team, heard: Heard) -> None:
    root = team.post("w0001", "a thread")["id"]
    reply = team.post("w0002", "a reply", root_id=root)["id"]
    heard.hear("mattermost")
    team.delete("w0001", root)
    assert sorted(told(heard.hear("mattermost"))) == sorted(
        [("message.deleted", 1, root), ("message.deleted", 1, reply)]
    )


def test_a_direct_message_between_two_bots(team: Team, heard: Heard) -> None:
    post = team.post("w0001", "we overlap on the lexer", team.direct("w0001", "w0003"))
    [event] = heard.hear("mattermost")
    assert told([event]) == [("message.posted", 1, post["id"])]
    assert event["fields"]["kind"] == "direct"
    assert event["fields"]["to"] in ([3], ["mattermost:w0003"], ["w0003"])


def test_a_new_channel(team: Team, heard: Heard) -> None:
    name = f"lexers-{time.time_ns()}"
    asked = {"team_id": team.team, "name": name, "display_name": "Lexers", "type": "O"}
    channel = team.api["agensh"].post("/channels", json=asked).json()["id"]
    team.api["agensh"].post(f"/channels/{channel}/members", json={"user_id": team.ids["w0002"]}).raise_for_status()
    post = team.post("w0002", "lexers only", channel)
    [event] = heard.hear("mattermost")
    assert told([event]) == [("message.posted", 2, post["id"])]
    assert (event["fields"]["kind"], event["fields"]["channel"]) == ("channel", name)


def test_the_chat_starts_anew(team: Team, heard: Heard) -> None:
    before = team.post("w0001", "before")["id"]
    team.restart()
    after = team.post("w0002", "after")["id"]
    assert told(heard.hear("mattermost")) == [("message.posted", 1, before), ("message.posted", 2, after)]


def test_its_database_starts_anew(team: Team, heard: Heard) -> None:
    if not isinstance(team, Real):
        return  # the stand-in's database is a file
    before = team.post("w0001", "before")["id"]
    team.stood.stop("teamdb")
    assert "mattermost" in (heard.fault("mattermost") or heard.fault("mattermost"))
    team.stood.start("teamdb")
    end = time.monotonic() + 60
    while team.api["w0002"].get("/users/me").is_error and time.monotonic() < end:
        time.sleep(0.2)
    after = team.post("w0002", "after")["id"]
    assert told(heard.hear("mattermost", quiet_s=2)) == [("message.posted", 1, before), ("message.posted", 2, after)]
    assert heard.fault("mattermost") == ""


def test_what_changes_while_nobody_listens_is_told_in_full(team: Team, heard: Heard) -> None:
    post = team.post("w0001", "one")["id"]
    team.edit("w0001", post, "two")
    gone = team.post("w0002", "deleted soon")["id"]
    team.react("w0003", post, "eyes")
    time.sleep(0.01)
    team.unreact("w0003", post, "eyes")
    team.delete("w0002", gone)
    assert told(heard.hear("mattermost")) == [
        ("message.posted", 1, post),
        ("message.edited", 1, post),
        ("message.posted", 2, gone),
        ("reaction.added", 3, post),
        ("reaction.removed", 3, post),
        ("message.deleted", 2, gone),
    ]


def test_two_thousand_posts_while_nobody_listens(team: Team, heard: Heard) -> None:
    count, names = 2_000, ("w0001", "w0002", "w0003")
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda k: team.post(names[k % 3], f"post {k}")["id"], range(count)))
    events = heard.hear("mattermost", within_s=240)
    assert Counter(each["fields"]["message"] for each in events) == Counter(made)
    assert [each["worker"] for each in sorted(events, key=lambda e: int(e["fields"]["text"].split()[1]))] == [
        k % 3 + 1 for k in range(count)
    ]
    heard.again()
    assert heard.hear("mattermost", within_s=240) == [], "read again from the start, nothing is told twice"
    assert heard.state()["tables"]["workers"]

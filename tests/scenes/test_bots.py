"""The bots of a team, made on a chat that dies in the middle: done again, each is there once, joined once, and a bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.bootstrap.bots import ensure_bots
from runs.bootstrap.chat import Chat, api_of, check_limits, ensure_channel
from runs.bootstrap.client import BootstrapError
from runs.bootstrap.secrets import Secrets
from tests.runs.bootstrap.cutting import Cutter, PowerCut
from tests.scenes.chats import StandIn, Team
from tests.scenes.test_chat import REAL

NAMES = [f"b{n:04d}" for n in range(1, 25)]


@pytest.fixture(scope="module", params=[pytest.param(StandIn, id="stand-in"), REAL])
def team(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    made = request.param(tmp_path_factory.mktemp("bots"))
    yield made
    made.close()


def test_a_chat_killed_while_bots_are_made(team: Team) -> None:
    chat, rooms = Chat(team.url, "agensh"), (team.team, team.channel)
    people = check_limits(chat, team.secrets)["activeUserCount"]
    for after in (1, 9, len(NAMES)):

        def progress(done: int, of: int, after: int = after) -> None:
            if done == after:
                team.kill()

        with pytest.raises(BootstrapError):
            ensure_bots(chat, team.secrets, NAMES, rooms, progress)
        team.restart()
    bots = ensure_bots(chat, team.secrets, NAMES, rooms)
    with api_of(chat, team.secrets) as api:
        users = [user for user in api.call("GET", "/users?per_page=200") if user["username"] in NAMES]
        there = {user["id"] for user in api.call("GET", f"/users?in_channel={team.channel}&per_page=200")}
    assert sorted(user["username"] for user in users) == NAMES
    assert all(user.get("is_bot") for user in users)
    assert {bot["id"] for bot in bots.values()} <= there
    assert len({team.secrets.get(f"{name}.chat") for name in NAMES}) == len(NAMES)
    said = team.rows(f"SELECT message FROM posts WHERE type = 'system_add_to_channel' AND channelid = '{team.channel}'")
    joined = Counter(row["message"].split()[0].strip("@") for row in said)
    assert {name: joined[name] for name in NAMES} == dict.fromkeys(NAMES, 1)
    assert check_limits(chat, team.secrets)["activeUserCount"] == people, "bots are not counted as people"


def test_every_call_cut_off_once_and_the_whole_done_again(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_ready(name: str) -> tuple[Secrets, str, set[str]]:
        secrets, chat = Secrets(tmp_path / name), Chat(team.url, "agensh", name)
        secrets.keep("chat_admin", str(team.secrets.get("chat_admin")))
        rooms = ensure_channel(chat, secrets)
        bots = ensure_bots(chat, secrets, [f"{name}a", f"{name}b"], rooms)
        check_limits(chat, secrets)
        return secrets, rooms[1], {str(bot["id"]) for bot in bots.values()}

    cutter = Cutter(monkeypatch)
    make_ready("cut0")
    calls = len(cutter.calls)
    assert calls > 12
    for at in range(1, calls + 1):
        for answered in (False, True):
            name = f"cut{at}{'after' if answered else 'before'}"
            cutter.arm(at, answered)
            with pytest.raises(PowerCut):
                make_ready(name)
            cut = cutter.calls[-1]
            cutter.arm(0, False)
            secrets, channel, bots = make_ready(name)
            with api_of(Chat(team.url, "agensh"), team.secrets) as api:
                there = {user["id"] for user in api.call("GET", f"/users?in_channel={channel}&per_page=200") if user.get("is_bot")}  # fmt: skip
            said = team.rows(
                f"SELECT message FROM posts WHERE type = 'system_add_to_channel' AND channelid = '{channel}'"
            )
            assert there == bots, cut
            assert len(said) == len(bots), cut
            assert secrets.get(f"{name}a.chat") and secrets.get(f"{name}b.chat"), cut

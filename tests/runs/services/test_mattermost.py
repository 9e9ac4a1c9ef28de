"""Mattermost's configuration: made for a team of bots, asking nothing of the outside, its one secret in a file of its own."""

from __future__ import annotations

import json
from pathlib import Path

from runs.services import mattermost
from runs.services.base import Database, RealService

GOLDEN = Path(__file__).with_name("mattermost.json")
DATABASE = Database("agensh-abc-7-postgres", 5432, "mattermost", "mattermost", "p/w+=")


def made(workers: int = 8) -> RealService:
    return mattermost.service(
        Path("/data/runs/demo/services/chat"),
        url="http://agensh-abc-7-chat:8000",
        host="0.0.0.0",
        database=DATABASE,
        workers=workers,
    )


def test_the_configuration_is_the_golden_file() -> None:
    assert made().files == {"mattermost.json": GOLDEN.read_text()}


def test_no_secret_is_in_environment_or_arguments() -> None:
    said = " ".join([*made().argv, *made().env.values(), json.dumps(dict(made().compose))])
    assert "p/w" not in said and "p%2Fw" not in said
    assert "p%2Fw%2B%3D@agensh-abc-7-postgres:5432" in made().files["mattermost.json"]


def test_limits_hold_a_big_team() -> None:
    team = json.loads(made(workers=4096).files["mattermost.json"])["TeamSettings"]
    assert team["MaxUsersPerTeam"] >= 4097
    assert team["MaxNotificationsPerChannel"] >= 4097


def test_it_listens_where_its_address_says() -> None:
    service = json.loads(made().files["mattermost.json"])["ServiceSettings"]
    assert (service["ListenAddress"], service["SiteURL"]) == ("0.0.0.0:8000", "http://agensh-abc-7-chat:8000")

"""A run's real services on each backend: files written once and unreadable to others, lines for the supervisor, a stack that is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from runs.backends import compose, local
from runs.backends.compose import images, stack
from runs.backends.compose.allowed import faults
from runs.backends.files import write_json
from runs.services import choosing
from runs.services.standing import Standing

SECRETS = ("db_gitea", "db_mattermost", "db_reader", "gitea_secret_key", "gitea_internal_token", "gitea_jwt_secret")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "runs" / "demo"
    made.mkdir(parents=True)
    (tmp_path / "site").write_text("abc")
    return made


def prepared(backend: Any, folder: Path, real: tuple[str, ...] = ("forge", "chat")) -> list[dict[str, Any]]:
    return Standing(backend, folder, 7, real).prepare("http://web:8000", "agensh", 8)


def test_files_are_for_their_service_alone_and_written_once(folder: Path) -> None:
    prepared(compose, folder)
    places = [path for path in (folder / "services").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in places} == {0o600}
    config = folder / "services" / "chat" / "mattermost.json"
    config.write_text(config.read_text().replace('"SiteName": "Agensh"', '"SiteName": "Agensh, with keys of its own"'))
    prepared(compose, folder)
    assert "with keys of its own" in config.read_text()


def test_no_secret_is_among_arguments_or_in_an_environment(folder: Path) -> None:
    said = json.dumps(prepared(compose, folder))
    kept = [(folder / "secrets" / name).read_text().strip() for name in SECRETS]
    assert len(set(kept)) == len(SECRETS)
    assert not [secret for secret in kept if secret in said]


def test_the_stack_is_allowed_and_hides_the_database_from_workers(folder: Path) -> None:
    processes = prepared(compose, folder)
    assert [told["proc"] for told in processes] == ["teamdb", "forge", "chat"]
    programs = tuple(compose._program(folder, told, images.of(told["proc"])) for told in processes)
    document = stack.render(stack.Stack("abc", 7, programs))
    assert faults(document, str(folder), images.every()) == []
    services = document["services"]
    assert set(services["teamdb"]["networks"]) == {"apps"}
    assert set(services["chat"]["networks"]) == {"apps", "team"}
    assert services["chat"]["depends_on"] == {"teamdb": {"condition": "service_healthy"}}
    bound = {bind["target"] for bind in services["chat"]["volumes"]}
    assert not [path for path in bound if "db_" in path or "pgpass" in path]


def test_no_service_of_a_team_has_a_name_of_the_apps_own(folder: Path) -> None:
    """On the network they share, the app's `postgres` would be either of two databases."""
    compose_file = (Path(__file__).parents[3] / "docker" / "compose.yaml").read_text()
    taken = set(yaml.safe_load(compose_file)["services"])
    assert {"web", "postgres"} <= taken
    assert not taken & set(images.TABLE)


def test_the_reader_is_named_by_a_password_file(folder: Path) -> None:
    standing = Standing(compose, folder, 7, ["chat"])
    standing.prepare("http://web:8000", "agensh", 8)
    dsn = standing.url("teamdb")
    assert dsn == (
        f"postgresql://reader@agensh-abc-7-teamdb:5432/mattermost?passfile={folder / 'secrets' / 'reader.pgpass'}"
    )
    assert (folder / "secrets" / "db_reader").read_text().strip() not in dsn


def test_processes_of_this_machine_are_not_root_and_wait_for_the_database(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENSH_GITEA", "/opt/gitea")
    monkeypatch.setenv("AGENSH_MATTERMOST", "/opt/mattermost")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert choosing.chosen("local", folder) == ["forge", "chat"]
    database, _, chat = prepared(local, folder)
    assert database["argv"][:3] == ["unshare", "--user", "--map-user=nobody"]
    assert chat["argv"][4:6] == ["/bin/sh", "-c"]
    assert "/opt/mattermost/bin/mattermost" in chat["argv"]
    assert (folder / "services" / "chat" / "port").read_text() in Standing(local, folder, 7, ["chat"]).url("chat")


def test_an_image_without_the_label_is_a_real_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENSH_CHAT_IMAGE", "mattermost:11")
    told = {images.of("forge"): {"standin": True}, "mattermost:11": {"standin": False}}
    write_json(tmp_path / "engine.json", {"images": told})
    assert choosing.chosen("compose", tmp_path) == ["chat"]
    write_json(tmp_path / "engine.json", {"images": {**told, "mattermost:11": None}})
    assert choosing.chosen("compose", tmp_path) == [], "one that is not on the engine is none"


def test_without_settings_everything_is_a_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AGENSH_GITEA", "AGENSH_MATTERMOST"):
        monkeypatch.delenv(name, raising=False)
    assert choosing.chosen("local", tmp_path) == choosing.chosen("compose", tmp_path) == []
    assert list(choosing.rows()) == []
    assert prepared(local, tmp_path / "run", ()) == []


def test_what_a_team_meets_in_is_called_by_its_true_name() -> None:
    names = ["board", "forge", "chat", "gateway"]
    assert choosing.in_words(names, []) == "board, forge (stand-in), chat (stand-in), gateway"
    assert choosing.in_words(names, ["forge"]) == "board, Gitea, chat (stand-in), gateway, PostgreSQL"

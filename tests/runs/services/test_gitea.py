"""Gitea in a team's stack: its configuration, and a start that may be killed anywhere."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
from pathlib import Path

import pytest

from runs.services import gitea
from runs.services.base import Database, RealService

# A Gitea that keeps what it was asked in a file, and is killed at the call that `die_at` names, with the script that asked. The server itself
# took the script's place, so its parent is whoever started both: nobody to kill.
FAKE = """\
#!/bin/sh
here="$(dirname "$0")"
echo "$*" >>"$here/asked"
if [ "$(wc -l <"$here/asked")" = "$(cat "$here/die_at")" ]; then
  case "$*" in "web "*) kill -9 $$ ;; *) kill -9 $PPID $$ ;; esac
fi
case "$*" in
  *"user list"*) cat "$here/admins" 2>/dev/null ;;
  *"user create"*) echo "1 agensh agensh@workers.invalid true" >>"$here/admins" ;;
  *generate-access-token*) echo token-"$(wc -l <"$here/asked")" ;;
esac
exit 0
"""


def described(folder: Path, program: str = "gitea", password: str = "p%w;d#1", **more: str) -> RealService:
    database = Database("db", 5432, "gitea", "gitea", password)
    told = {"url": "http://agensh-x-1-forge:8000", "admin": "agensh", "receiver": "web", **more}
    return gitea.service(folder, database=database, secrets=folder / "secrets", workers=8, program=program, **told)


def config_of(service: RealService) -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.read_string("[top]\n" + service.files["app.ini"])
    return found


def test_what_loses_data_by_default_is_set(tmp_path: Path) -> None:
    config = config_of(described(tmp_path))
    assert config["security"]["ALLOWED_HOST_LIST"] == config["webhook"]["ALLOWED_HOST_LIST"] == "web"
    assert config["cron.cleanup_hook_task_table"]["ENABLED"] == "false"
    assert int(config["ui"]["FEED_MAX_COMMIT_NUM"]) >= 500
    assert config["repository.pull-request"]["DELAY_CHECK_FOR_INACTIVE_DAYS"] == "-1"
    assert int(config["security"]["SUCCESSFUL_TOKENS_CACHE_SIZE"]) >= 1_024
    assert config["server"]["ROOT_URL"] == "http://agensh-x-1-forge:8000/"
    assert config["database"]["PASSWD"] == "`p%w;d#1`"


def test_no_secret_is_an_argument_or_in_the_environment(tmp_path: Path) -> None:
    service = described(tmp_path, password="only-in-the-file")
    told = json.dumps([service.argv, dict(service.env), dict(service.compose)])
    assert "only-in-the-file" not in told
    assert "only-in-the-file" not in service.files["start.sh"]
    assert service.files["app.ini"].count("only-in-the-file") == 1


@pytest.mark.parametrize("bad", ["a\nb", "a\rb", "a`b"])
def test_a_value_that_would_be_a_line_of_its_own_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        described(tmp_path, password=bad)
    with pytest.raises(ValueError, match="line break"):
        described(tmp_path, receiver=bad)


@pytest.mark.parametrize("die_at", range(6))
def test_a_start_killed_at_any_step_goes_on_from_there(tmp_path: Path, die_at: int) -> None:
    program = tmp_path / "gitea"
    program.write_text(FAKE)
    program.chmod(0o755)
    (tmp_path / "die_at").write_text(str(die_at))
    place = tmp_path / "forge"
    place.mkdir()
    service = described(place, str(program))
    for name, text in service.files.items():
        (place / name).write_text(text)
    for _ in range(3):
        subprocess.run(service.argv, check=False, env={**os.environ, **service.env}, capture_output=True, timeout=60)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-1].startswith("web --config")
    assert (tmp_path / "admins").read_text().count("agensh@") == 1
    token = (place / gitea.ADMIN_TOKEN).read_text().strip()
    assert token.startswith("token-")
    assert (place / gitea.ADMIN_TOKEN).stat().st_mode & 0o077 == 0
    # Once the token is there, a start is nothing but the server.
    assert [line.split()[0] for line in asked[-2:]] == ["web", "web"]

"""The team's PostgreSQL: made once, whole or not at all; each service reads its own database, the reader what it may and no more."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from runs.services import choosing, postgres
from runs.services.base import Database
from runs.services.postgres import files, granting
from tests.house.services import free_port

NO_ROOT = ["unshare", "--user", "--map-user=nobody", "--map-group=nogroup"] if os.geteuid() == 0 else []


class Running:
    """One server in a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.place, self.port = place, free_port()
        made = postgres.service(
            place,
            port=self.port,
            host="127.0.0.1",
            databases=[("gitea", "gitea-pw"), ("mattermost", "mattermost-pw")],
            reader="reader-pw",
            program=choosing.program("teamdb"),
        )
        for name, text in made.files.items():
            (place / name).write_text(text)
        self.argv = [*NO_ROOT, *made.argv]
        self.env = {"PATH": os.environ["PATH"], **made.env}
        passwords = place / "reader.pgpass"
        passwords.write_text(postgres.passfile("127.0.0.1", self.port, "reader", "reader-pw"))
        passwords.chmod(0o600)
        self.reader = f"postgresql://reader@127.0.0.1:{self.port}/mattermost?passfile={passwords}"

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.argv, cwd=self.place, env=self.env, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def owner(self, name: str, database: str | None = None) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=name, password=f"{name}-pw", dbname=database or name
        )

    def wait(self) -> None:
        end = time.monotonic() + 120
        while not granting.answers(self.reader):
            assert time.monotonic() < end, "PostgreSQL did not come up"
            time.sleep(0.2)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    server = Running(tmp_path_factory.mktemp("postgres"))
    # A first start is killed while it makes the cluster: the second begins again.
    first = server.start()
    while not (server.place / "data.half").exists():
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    subprocess.run(["pkill", "-KILL", "-f", str(server.place / "data.half")], check=False)
    assert not (server.place / "data").exists()
    process = server.start()
    try:
        server.wait()
        yield server
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(server.place, ignore_errors=True)


def test_each_service_has_a_database_of_its_own(running: Running) -> None:
    with running.owner("gitea") as db:
        db.execute("CREATE TABLE hook_task (id int)")
    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        running.owner("gitea", "mattermost")


def test_the_reader_reads_what_it_was_let_and_changes_nothing(running: Running) -> None:
    with running.owner("mattermost") as db:
        db.execute("CREATE TABLE users (id int, username text, password text)")
        db.execute("CREATE TABLE posts (id int)")
        db.execute("INSERT INTO users VALUES (1, 'w0001', 'hash')")
    database = Database("127.0.0.1", running.port, "mattermost", "mattermost", "mattermost-pw")
    for _ in range(2):
        granting.let_read(database, {"users": ("id", "username"), "posts": ()})
    with psycopg.connect(running.reader, autocommit=True) as reader:
        assert reader.execute("SELECT id, username FROM users").fetchall() == [(1, "w0001")]
        for refused in ("SELECT password FROM users", "SELECT * FROM users", "INSERT INTO posts VALUES (1)"):
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.ReadOnlySqlTransaction)):
                reader.execute(refused)


def test_nobody_signs_in_as_the_superuser(running: Running) -> None:
    for password in ("", "postgres"):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(host="127.0.0.1", port=running.port, user="postgres", dbname="postgres", password=password)


def test_no_password_stands_in_its_files_or_arguments(tmp_path: Path) -> None:
    made = postgres.service(tmp_path, port=5432, host="0.0.0.0", databases=[("gitea", "s3cret")], reader="s3cret-too")
    assert not [name for name, text in made.files.items() if "s3cret" in text]
    assert "s3cret" not in " ".join([*made.argv, *made.env.values()])


def test_a_name_that_is_no_plain_word_makes_no_statement() -> None:
    with pytest.raises(ValueError, match="is no name for a database"):
        files.roles([("gitea; DROP ROLE reader", "x")], "y")
    with pytest.raises(ValueError, match="colon"):
        files.passfile("db", 5432, "reader", "a:b")

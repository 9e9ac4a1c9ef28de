"""The text of PostgreSQL's files: the script it starts with, the statements that make its roles and databases, and password files."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence

READER = "reader"
NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_ROUNDS = 4_096

# The cluster is made whole under another name and renamed last: a start that was killed half-way begins again.
# Roles and databases are made by `postgres --single`, before anything listens. The superuser has no password: nobody signs in as it.
START = """\
#!/bin/sh
set -eu
umask 077
cd "$(dirname "$0")"
for place in {programs} /usr/lib/postgresql/*/bin; do PATH="$PATH:$place"; done
export PATH
if [ "${{1:-}}" = ready ]; then exec pg_isready --quiet --host 127.0.0.1 --port {port}; fi
if [ ! -s data/PG_VERSION ]; then
  rm -rf data.half
  initdb --pgdata data.half --username postgres --auth reject --encoding UTF8 --locale C >initdb.log
  postgres --single -D data.half -c exit_on_error=on -c log_statement=none postgres <roles.sql >single.log
  mv data.half data
fi
postgres -D data -c config_file="$PWD/postgresql.conf" -c hba_file="$PWD/pg_hba.conf" -c ident_file="$PWD/pg_ident.conf" &
child=$!
# SIGTERM alone waits for every connection to end by itself; SIGINT ends them.
trap 'kill -INT "$child" 2>/dev/null || :' TERM INT
wait "$child" || wait "$child"
"""

HBA = """\
# Everybody signs in with a password, and to the database of their own only; the reader reads both.
host all all 0.0.0.0/0 scram-sha-256
host all all ::/0 scram-sha-256
"""

# A container's user has no name of its own, and initdb asks for one.
PASSWD = "agensh:x:10001:10001::/tmp:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"  # noqa: S105 - no password in it


def settings(port: int, host: str) -> str:
    """`postgresql.conf`: for two services of a team on one machine, durable as PostgreSQL is by default."""
    return f"""\
listen_addresses = '{host}'
port = {port}
unix_socket_directories = ''
# 40 for each service, the listener and the ledger beside them.
max_connections = 120
shared_buffers = 128MB
work_mem = 8MB
# A container's /dev/shm is 64 MB: parallel queries would need more, and none here gains by them.
max_parallel_workers_per_gather = 0
jit = off
# Bursts of rows of a busy team, then the disk.
max_wal_size = 1GB
checkpoint_timeout = 15min
password_encryption = 'scram-sha-256'
log_min_messages = warning
# A failing statement holds what somebody wrote, or a token: it stays out of the log, whose last lines are shown on a page.
log_min_error_statement = panic
log_line_prefix = '%m [%p] %u@%d '
timezone = 'UTC'
log_timezone = 'UTC'
"""


def roles(passwords: Sequence[tuple[str, str]], reader: str) -> str:
    """One statement a line: for each (name, password) a role and the database it owns; then who may read.

    Passwords stand here as SCRAM verifiers, from which they cannot be had. Raises ValueError for a name that is no plain word.
    """
    lines = [f"CREATE ROLE {READER} LOGIN CONNECTION LIMIT 20 PASSWORD '{verifier(READER, reader)}'"]
    lines.append(f"ALTER ROLE {READER} SET default_transaction_read_only = on")
    for name, password in passwords:
        if not NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name for a database")
        lines += [
            f"CREATE ROLE {name} LOGIN PASSWORD '{verifier(name, password)}'",
            f"CREATE DATABASE {name} OWNER {name}",
            f"REVOKE ALL ON DATABASE {name} FROM PUBLIC",
            f"GRANT CONNECT ON DATABASE {name} TO {READER}",
        ]
    lines += ["REVOKE ALL ON DATABASE postgres FROM PUBLIC", "REVOKE ALL ON DATABASE template1 FROM PUBLIC"]
    return "".join(f"{line};\n" for line in lines)


def verifier(name: str, password: str) -> str:
    """What PostgreSQL keeps of a password (RFC 5803). The salt is of name and password, so that the same text comes out each time."""
    salt = hmac.new(password.encode(), name.encode(), hashlib.sha256).digest()[:16]
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    server = hmac.digest(salted, b"Server Key", "sha256")
    stored = hashlib.sha256(client).digest()
    shown = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"SCRAM-SHA-256${_ROUNDS}:{shown[0]}${shown[1]}:{shown[2]}"


def passfile(host: str, port: int, user: str, password: str) -> str:
    """A libpq password file with one line: for every database of one server."""
    if any(set(each) & set(":\\\n") for each in (host, user, password)):
        raise ValueError("a line of a password file holds a colon, a backslash or a line break")
    return f"{host}:{port}:*:{user}:{password}\n"

"""The text of Gitea's files: `app.ini`, and the script its container starts with."""

from __future__ import annotations

from pathlib import Path

from runs.services.base import Database

# Tables, then the administrator with a password nobody knows, then one token in a file that only the launcher reads.
# Every line may be the last one before a crash: the next start goes on from there. The token is the mark that all is done.
START = """\
#!/bin/sh
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p data home custom repositories
gitea() {{ command {program} "$@" --config "$PWD/app.ini" --work-path "$PWD" --custom-path "$PWD/custom"; }}
if [ ! -s {token} ]; then
  tries=0
  until gitea migrate >migrate.log 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -ge 60 ]; then cat migrate.log >&2; exit 1; fi
    sleep 1
  done
  gitea admin user list --admin 2>/dev/null | grep -qw {admin} || gitea admin user create --admin \\
    --username {admin} --email {admin}@workers.invalid --random-password --must-change-password=false >/dev/null
  gitea admin user generate-access-token --username {admin} --token-name "boot-$$-$(date +%s)" --scopes all --raw >{token}.half
  mv {token}.half {token}
fi
exec {program} web --config "$PWD/app.ini" --work-path "$PWD" --custom-path "$PWD/custom"
"""


def app_ini(*, folder: Path, url: str, port: int, listen: str, receiver: str, database: Database, secrets: Path) -> str:
    """The whole configuration. Raises ValueError for a value that would begin a line or a section of its own."""
    values = (
        url,
        listen,
        receiver,
        database.host,
        database.name,
        database.user,
        database.password,
        str(folder),
        str(secrets),
    )
    if any(set(value) & set("\n\r`") for value in values):
        raise ValueError("a value of app.ini holds a line break or a backtick")
    return f"""\
; Written by Agensh Web for one run. Gitea never writes here: every secret it would make is given to it.
APP_NAME = Agensh
RUN_MODE = prod
WORK_PATH = {folder}

[server]
PROTOCOL = http
HTTP_ADDR = {listen}
HTTP_PORT = {port}
ROOT_URL = {url}/
LOCAL_ROOT_URL = http://127.0.0.1:{port}/
APP_DATA_PATH = {folder}/data
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
LANDING_PAGE = login

[database]
DB_TYPE = postgres
HOST = {database.host}:{database.port}
NAME = {database.name}
USER = {database.user}
PASSWD = `{database.password}`
SSL_MODE = disable
; Two a core are enough for queries this short; workers wait in Gitea, not in PostgreSQL.
MAX_OPEN_CONNS = 40
MAX_IDLE_CONNS = 20
DB_RETRIES = 30
DB_RETRY_BACKOFF = 1s

[repository]
ROOT = {folder}/repositories
DEFAULT_BRANCH = main
DEFAULT_PRIVATE = private
; A run has code, pulls and their talk; every other unit costs pages and queries nobody asks for.
DISABLED_REPO_UNITS = repo.ext_issues, repo.wiki, repo.ext_wiki, repo.projects, repo.packages, repo.actions

[repository.pull-request]
; By default a pull nobody touched for a week is not tested for conflicts until somebody opens its page.
DELAY_CHECK_FOR_INACTIVE_DAYS = -1

[repository.signing]
SIGNING_KEY = none

[git]
HOME_PATH = {folder}/home

[ui]
; How many commits a push's webhook names; the rest would be lost to who reads it.
FEED_MAX_COMMIT_NUM = 500

[api]
ENABLE_SWAGGER = false
MAX_RESPONSE_ITEMS = 50

[security]
INSTALL_LOCK = true
SECRET_KEY_URI = file:{secrets}/gitea_secret_key
INTERNAL_TOKEN_URI = file:{secrets}/gitea_internal_token
; Every token of the team stays verified: by default 20 do, and each further request pays for a slow hash.
SUCCESSFUL_TOKENS_CACHE_SIZE = 4096
; Passwords here are 40 random hex digits and live as long as the run: the slower hash protects nothing more.
PASSWORD_HASH_ALGO = pbkdf2_v1
DISABLE_GIT_HOOKS = true
; Named so since 1.27; before that it is the key of [webhook].
ALLOWED_HOST_LIST = {receiver}

[webhook]
ALLOWED_HOST_LIST = {receiver}
DELIVER_TIMEOUT = 5

[oauth2]
ENABLED = false
JWT_SECRET_URI = file:{secrets}/gitea_jwt_secret

[service]
DISABLE_REGISTRATION = true
REQUIRE_SIGNIN_VIEW = true
DEFAULT_ALLOW_CREATE_ORGANIZATION = false
; Watching would write a notification per worker and event.
AUTO_WATCH_NEW_REPOS = false
AUTO_WATCH_ON_CHANGES = false
ENABLE_TIMETRACKING = false

[openid]
ENABLE_OPENID_SIGNIN = false
ENABLE_OPENID_SIGNUP = false

[actions]
ENABLED = false

[packages]
ENABLED = false

[indexer]
ISSUE_INDEXER_TYPE = db
REPO_INDEXER_ENABLED = false

[picture]
DISABLE_GRAVATAR = true
ENABLE_FEDERATED_AVATAR = false

[session]
PROVIDER = memory

[mailer]
ENABLED = false

; The outbox is a source: nothing may delete its rows while the run lives.
[cron.cleanup_hook_task_table]
ENABLED = false

[cron.update_checker]
ENABLED = false

[log]
MODE = console
LEVEL = Warn
logger.router.MODE =
logger.access.MODE =
"""

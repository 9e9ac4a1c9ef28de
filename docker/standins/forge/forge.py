"""The forge as one object: its database, its repositories on disk, who may do what."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from standins.forge.git import Bare
from standins.forge.schema import SCHEMA
from standins.store import Store, now_ms
from standins.web import Refused

READ, WRITE, ADMIN = 1, 2, 3
_LEVELS = {"read": READ, "write": WRITE, "admin": ADMIN, "owner": ADMIN}
Row = dict[str, Any]


class Forge:
    """Accounts, repositories and rights. `url` is the address that goes into every payload."""

    def __init__(self, data_dir: str | Path, url: str) -> None:
        self.data_dir = Path(data_dir)
        self.url = url.rstrip("/")
        self.store = Store(self.data_dir / "forge.db", SCHEMA)
        (self.data_dir / "tmp").mkdir(exist_ok=True)
        self._bare: dict[int, Bare] = {}
        self._passwords: set[bytes] = set()
        for repo in self.store.all("SELECT * FROM repository"):
            self._learn_branches(repo)

    # accounts

    def account(self, login: str) -> Row | None:
        return self.store.one("SELECT * FROM account WHERE login = ?", login)

    def account_by_id(self, id: int | None) -> Row | None:
        return None if id is None else self.store.one("SELECT * FROM account WHERE id = ?", id)

    def add_account(self, login: str, password: str, **fields: Any) -> Row:
        """A new person or organisation. Raises Refused(422) if the name is taken or not allowed."""
        if not login or len(login) > 40 or not all(each.isalnum() or each in "-_." for each in login):
            raise Refused(422, f"name is not valid [name: {login}]")
        if self.account(login) is not None:
            raise Refused(422, f"user already exists [name: {login}]")
        hashed = _hash_password(password) if password else ""
        id = self.store.add("account", login=login, password=hashed, created=now_ms(), **fields)
        found = self.account_by_id(id)
        assert found is not None
        return found

    def ensure_admin(self, login: str, password: str) -> None:
        """The administrator of the configuration, created once, with this password."""
        account = self.account(login)
        if account is None:
            account = self.add_account(login, password, email=f"{login}@workers.invalid", is_admin=1)
        elif not _password_fits(password, account["password"]):
            self.store.set("account", account["id"], password=_hash_password(password))

    def mint_token(self, user: Row, name: str, scopes: list[str]) -> Row:
        """A new access token; its plain text is in `sha1` of this answer and nowhere else."""
        if self.store.one("SELECT id FROM access_token WHERE user_id = ? AND name = ?", user["id"], name):
            raise Refused(400, "access token name has been used already")
        plain = secrets.token_hex(20)
        row = {"user_id": user["id"], "name": name, "hash": _hash_token(plain), "last_eight": plain[-8:]}
        id = self.store.add("access_token", **row, scopes=json.dumps(scopes), created=now_ms())
        return {**row, "id": id, "plain": plain, "scopes": scopes, "created": now_ms()}

    def sign_in(self, headers: Mapping[str, str]) -> Row | None:
        """The account behind `Authorization`, with `basic` telling how; None without one. Raises Refused(401)."""
        header = headers.get("authorization", "")
        if not header:
            return None
        kind, _, value = header.partition(" ")
        account: Row | None = None
        if kind.lower() in ("token", "bearer"):
            account = self._by_token(value.strip())
            basic = False
        elif kind.lower() == "basic":
            login, secret = _basic(value)
            account = self._by_password(login, secret)
            basic = account is not None
            account = account or self._by_token(secret) or self._by_token(login)
        if account is None:
            raise Refused(401, "invalid username, password or token")
        return {**account, "basic": basic}

    def _by_token(self, plain: str) -> Row | None:
        return self.store.one(
            "SELECT a.* FROM account a JOIN access_token t ON t.user_id = a.id WHERE t.hash = ?", _hash_token(plain)
        )

    def _by_password(self, login: str, password: str) -> Row | None:
        account = self.account(login)
        if account is None or not account["password"]:
            return None
        # The hash is slow on purpose; a pair that fitted once is remembered by its digest for this life.
        proof = hashlib.sha256(f"{account['password']}\0{password}".encode()).digest()
        if proof not in self._passwords:
            if not _password_fits(password, account["password"]):
                return None
            self._passwords.add(proof)
        return account

    # repositories

    def bare(self, repo: Row) -> Bare:
        """The repository on disk; one object per repository, for its lock."""
        found = self._bare.get(repo["id"])
        if found is None:
            found = self._bare.setdefault(repo["id"], Bare(self.data_dir / "repos" / f"{repo['id']}.git"))
        return found

    def add_repository(self, owner: Row, name: str, description: str, private: bool, branch: str) -> Row:
        if not name or not all(each.isalnum() or each in "-_." for each in name) or name.endswith((".git", ".wiki")):
            raise Refused(422, f"name is not valid [name: {name}]")
        if self.find_repository(owner["login"], name):
            raise Refused(409, "The repository with the same name already exists.")
        at = now_ms()
        with self.store.change():
            id = self.store.add(
                "repository",
                owner_id=owner["id"],
                name=name,
                description=description,
                private=int(private),
                default_branch=branch,
                created=at,
                updated=at,
            )
            self._bare[id] = Bare.create(self.data_dir / "repos" / f"{id}.git", branch)
        found = self.find_repository(owner["login"], name)
        assert found is not None
        return found

    def find_repository(self, owner: str, name: str) -> Row | None:
        return self.store.one(
            "SELECT r.* FROM repository r JOIN account a ON a.id = r.owner_id WHERE a.login = ? AND r.name = ?",
            owner,
            name.removesuffix(".git"),
        )

    def repository(self, owner: str, name: str, user: Row | None, needs: int = READ) -> Row:
        """A repository this user may touch so. Raises Refused 404 (may not see), 401 or 403."""
        repo = self.find_repository(owner, name)
        level = 0 if repo is None else self.level(user, repo)
        if repo is None or level == 0:
            raise Refused(404, "The target couldn't be found.")
        if level < needs:
            if user is None:
                raise Refused(401, "token is required")
            raise Refused(403, "Must be repo admin" if needs == ADMIN else "user should have a permission to write")
        return repo

    def level(self, user: Row | None, repo: Row) -> int:
        """0 none, 1 read, 2 write, 3 admin."""
        public = 0 if repo["private"] else READ
        if user is None:
            return public
        if user["is_admin"] or user["id"] == repo["owner_id"]:
            return ADMIN
        if self.store.one("SELECT 1 FROM org_owner WHERE org_id = ? AND user_id = ?", repo["owner_id"], user["id"]):
            return ADMIN
        given = self.store.value(
            "SELECT permission FROM collaborator WHERE repo_id = ? AND user_id = ?", repo["id"], user["id"]
        )
        return max(public, _LEVELS.get(given or "", 0))

    def branches(self, repo: Row) -> dict[str, str]:
        return {
            row["name"]: row["sha"]
            for row in self.store.all("SELECT name, sha FROM branch WHERE repo_id = ? ORDER BY name", repo["id"])
        }

    def head_of(self, repo: Row, branch: str) -> str | None:
        sha: str | None = self.store.value("SELECT sha FROM branch WHERE repo_id = ? AND name = ?", repo["id"], branch)
        return sha

    def protection(self, repo: Row, branch: str) -> Row | None:
        """The rule that guards a branch: an exact name first, then the oldest pattern that fits."""
        rules = self.store.all("SELECT * FROM protection WHERE repo_id = ? ORDER BY id", repo["id"])
        fitting = [rule for rule in rules if rule["rule_name"] == branch]
        fitting += [rule for rule in rules if fnmatch.fnmatchcase(branch, rule["rule_name"])]
        return json.loads(fitting[0]["settings"]) if fitting else None

    def _learn_branches(self, repo: Row) -> None:
        # A life that ended between git and the database leaves them apart; git is right.
        heads = self.bare(repo).heads()
        with self.store.change() as db:
            db.execute("DELETE FROM branch WHERE repo_id = ?", (repo["id"],))
            db.executemany(
                "INSERT INTO branch (repo_id, name, sha) VALUES (?, ?, ?)",
                [(repo["id"], name, sha) for name, sha in heads.items()],
            )
            for name, sha in heads.items():
                db.execute(
                    "UPDATE pull SET head_sha = ? WHERE repo_id = ? AND head = ? AND state = 'open'",
                    (sha, repo["id"], name),
                )


def _hash_token(plain: str) -> str:
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()


def _hash_password(password: str) -> str:
    salt = secrets.token_hex(8)
    return f"{salt}${_stretch(password, salt)}"


def _stretch(password: str, salt: str) -> str:
    return hashlib.pbkdf2_hmac("sha256", password.encode("utf-8", "replace"), salt.encode(), 10_000).hex()


def _password_fits(password: str, stored: str) -> bool:
    salt, _, hashed = stored.partition("$")
    return bool(salt) and secrets.compare_digest(_stretch(password, salt), hashed)


def _basic(value: str) -> tuple[str, str]:
    try:
        login, _, secret = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused(401, "invalid username, password or token") from None
    return login, secret

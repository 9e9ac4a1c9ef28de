"""Repositories: made, shared, guarded, hooked; their branches, refs and commits."""

from __future__ import annotations

import json
from typing import Any

from standins.forge import pulls, shapes
from standins.forge.forge import ADMIN, WRITE, Forge, Row
from standins.forge.git import GitFailed
from standins.forge.handlers import HANDLERS, need_user, paged, repo_of
from standins.forge.hooks import selected
from standins.store import now_ms
from standins.web import Answer, Call, Refused

_FLAGS = [
    "enable_push",
    "enable_push_whitelist",
    "push_whitelist_deploy_keys",
    "enable_force_push",
    "enable_force_push_allowlist",
    "force_push_allowlist_deploy_keys",
    "enable_merge_whitelist",
    "enable_status_check",
    "enable_approvals_whitelist",
    "block_on_rejected_reviews",
    "block_on_official_review_requests",
    "block_on_outdated_branch",
    "dismiss_stale_approvals",
    "ignore_stale_approvals",
    "require_signed_commits",
    "block_admin_merge_override",
    "enable_bypass_allowlist",
]
_NAMES = [
    "push_whitelist_usernames",
    "push_whitelist_teams",
    "force_push_allowlist_usernames",
    "force_push_allowlist_teams",
    "merge_whitelist_usernames",
    "merge_whitelist_teams",
    "status_check_contexts",
    "approvals_whitelist_username",
    "approvals_whitelist_teams",
    "bypass_allowlist_usernames",
    "bypass_allowlist_teams",
]


@HANDLERS("POST", "/orgs/{org}/repos")
def add_repo(forge: Forge, call: Call) -> Answer:
    doer = need_user(call)
    owner = forge.account(call.params["org"])
    if owner is None or not owner["is_org"]:
        raise Refused(404, "organization does not exist")
    owns = forge.store.value("SELECT 1 FROM org_owner WHERE org_id = ? AND user_id = ?", owner["id"], doer["id"])
    if not owns and not doer["is_admin"]:
        raise Refused(403, "not allowed to create repositories here")
    if call.body.get("auto_init"):
        raise Refused(422, "auto_init is not spoken by this stand-in: push the first commit")
    branch = call.text("default_branch") or "main"
    private = bool(call.body.get("private"))
    repo = forge.add_repository(owner, call.text("name"), call.text("description"), private, branch)
    return Answer(shapes.repository(forge, repo, doer), 201)


@HANDLERS("GET", "/repos/{owner}/{repo}")
def get_repo(forge: Forge, call: Call) -> Answer:
    return Answer(shapes.repository(forge, repo_of(forge, call), call.user))


@HANDLERS("PUT", "/repos/{owner}/{repo}/collaborators/{collaborator}")
def add_collaborator(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    account = forge.account(call.params["collaborator"])
    permission = call.text("permission") or "write"
    if account is None:
        raise Refused(422, "user does not exist")
    if permission not in ("read", "write", "admin"):
        raise Refused(422, f"permission is not valid [permission: {permission}]")
    with forge.store.change() as db:
        db.execute("INSERT OR REPLACE INTO collaborator VALUES (?, ?, ?)", (repo["id"], account["id"], permission))
    return Answer(status=204)


@HANDLERS("GET", "/repos/{owner}/{repo}/hooks")
def list_hooks(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    return paged(call, forge.store.all("SELECT * FROM webhook WHERE repo_id = ? ORDER BY id", repo["id"]), shapes.hook)


@HANDLERS("POST", "/repos/{owner}/{repo}/hooks")
def add_hook(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    config: Any = call.body.get("config") or {}
    if call.text("type") not in ("gitea", "gogs"):
        raise Refused(422, f"Invalid hook type: {call.text('type')}")
    if config.get("content_type") != "json":
        raise Refused(422, "Missing config option: content_type json")
    if not str(config.get("url", "")).startswith(("http://", "https://")):
        raise Refused(422, "Missing config option: url")
    id = forge.store.add(
        "webhook",
        repo_id=repo["id"],
        url=str(config["url"]),
        secret=str(config.get("secret", "")),
        content_type="json",
        events=json.dumps(selected([str(each) for each in call.body.get("events") or []])),
        active=int(bool(call.body.get("active"))),
        created=now_ms(),
    )
    row = forge.store.one("SELECT * FROM webhook WHERE id = ?", id)
    assert row is not None
    return Answer(shapes.hook(row), 201)


def _rule(row: Row) -> dict[str, Any]:
    settings = json.loads(row["settings"])
    shown: dict[str, Any] = {flag: bool(settings.get(flag)) for flag in _FLAGS}
    shown |= {name: settings.get(name) or [] for name in _NAMES}
    return shown | {
        "branch_name": row["rule_name"],
        "rule_name": row["rule_name"],
        "priority": 0,
        "required_approvals": int(settings.get("required_approvals") or 0),
        "protected_file_patterns": "",
        "unprotected_file_patterns": "",
        "created_at": shapes.when(row["created"]),
        "updated_at": shapes.when(row["created"]),
    }


@HANDLERS("GET", "/repos/{owner}/{repo}/branch_protections")
def list_rules(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    rows = forge.store.all("SELECT * FROM protection WHERE repo_id = ? ORDER BY id", repo["id"])
    return Answer([_rule(row) for row in rows])


@HANDLERS("POST", "/repos/{owner}/{repo}/branch_protections")
def add_rule(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    name = call.text("rule_name") or call.text("branch_name")
    if not name:
        raise Refused(422, "both rule_name and branch_name are empty")
    if forge.store.value("SELECT 1 FROM protection WHERE repo_id = ? AND rule_name = ?", repo["id"], name):
        raise Refused(403, "Branch protection already exist")
    settings = json.dumps({**call.body, "rule_name": name})
    id = forge.store.add("protection", repo_id=repo["id"], rule_name=name, settings=settings, created=now_ms())
    row = forge.store.one("SELECT * FROM protection WHERE id = ?", id)
    assert row is not None
    return Answer(_rule(row), 201)


@HANDLERS("GET", "/repos/{owner}/{repo}/branches")
def list_branches(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    rows = [{"name": name, "sha": sha} for name, sha in forge.branches(repo).items()]
    return paged(call, rows, lambda row: shapes.branch(forge, repo, row["name"], row["sha"], call.user))


@HANDLERS("GET", "/repos/{owner}/{repo}/branches/{branch}")
def get_branch(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    name = call.params["branch"]
    sha = forge.head_of(repo, name)
    if sha is None:
        raise Refused(404, "branch does not exist")
    return Answer(shapes.branch(forge, repo, name, sha, call.user))


@HANDLERS("DELETE", "/repos/{owner}/{repo}/branches/{branch}")
def drop_branch(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, WRITE)
    pulls.delete_branch(forge, repo, need_user(call), call.params["branch"])
    return Answer(status=204)


@HANDLERS("GET", "/repos/{owner}/{repo}/git/refs")
def list_refs(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    heads = forge.branches(repo)
    if not heads:
        raise Refused(404, "no refs")
    return Answer([shapes.reference(forge, repo, f"refs/heads/{name}", sha) for name, sha in heads.items()])


@HANDLERS("GET", "/repos/{owner}/{repo}/commits")
def list_commits(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    bare = forge.bare(repo)
    start = bare.resolve(call.query.get("sha") or repo["default_branch"])
    if start is None:
        raise Refused(404, "no such commit")
    try:
        commits = bare.log(["-n1000", start])
    except GitFailed as failed:
        raise Refused(404, str(failed)) from None
    rows: list[Row] = [{"commit": commit} for commit in commits]
    return paged(call, rows, lambda row: shapes.api_commit(forge, repo, row["commit"]))

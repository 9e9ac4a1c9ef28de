"""What watches over a repository: its webhooks and the rules of its branches."""

from __future__ import annotations

import json
from typing import Any

from standins.forge import shapes
from standins.forge.forge import ADMIN, Forge, Row
from standins.forge.handlers import HANDLERS, paged, repo_of
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


@HANDLERS("GET", "/repos/{owner}/{repo}/hooks")
def list_hooks(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    return paged(call, forge.store.all("SELECT * FROM webhook WHERE repo_id = ? ORDER BY id", repo["id"]), shapes.hook)


def _hook_of(forge: Forge, call: Call) -> Row:
    repo = repo_of(forge, call, ADMIN)
    row = forge.store.one("SELECT * FROM webhook WHERE id = ? AND repo_id = ?", int(call.params["id"]), repo["id"])
    if row is None:
        raise Refused(404, "The target couldn't be found.")
    return row


@HANDLERS("PATCH", "/repos/{owner}/{repo}/hooks/{id}")
def change_hook(forge: Forge, call: Call) -> Answer:
    """As Gitea does it: a change that names no events leaves pushes alone, and the secret cannot be changed."""
    row = _hook_of(forge, call)
    config: Any = call.body.get("config") or {}
    events = selected([str(each) for each in call.body.get("events") or []])
    active = row["active"] if call.body.get("active") is None else int(bool(call.body["active"]))
    forge.store.set(
        "webhook", row["id"], url=str(config.get("url", row["url"])), events=json.dumps(events), active=active
    )
    return Answer(shapes.hook(_hook_of(forge, call)))


@HANDLERS("DELETE", "/repos/{owner}/{repo}/hooks/{id}")
def drop_hook(forge: Forge, call: Call) -> Answer:
    """A hook takes its rows of the outbox with it."""
    row = _hook_of(forge, call)
    with forge.store.change() as db:
        db.execute("DELETE FROM hook_task WHERE hook_id = ?", (row["id"],))
        db.execute("DELETE FROM webhook WHERE id = ?", (row["id"],))
    return Answer(status=204)


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


@HANDLERS("PATCH", "/repos/{owner}/{repo}/branch_protections/{name}")
def change_rule(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, ADMIN)
    asked = "SELECT * FROM protection WHERE repo_id = ? AND rule_name = ?"
    row = forge.store.one(asked, repo["id"], call.params["name"])
    if row is None:
        raise Refused(404, "The target couldn't be found.")
    settings = {**json.loads(row["settings"]), **call.body, "rule_name": row["rule_name"]}
    forge.store.set("protection", row["id"], settings=json.dumps(settings))
    return Answer(_rule({**row, "settings": json.dumps(settings)}))

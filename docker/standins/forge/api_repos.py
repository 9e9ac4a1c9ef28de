"""Repositories: made, shared, guarded, hooked; their branches, refs and commits."""

from __future__ import annotations

from standins.forge import pulls, shapes
from standins.forge.forge import ADMIN, WRITE, Forge, Row
from standins.forge.git import GitFailed
from standins.forge.handlers import HANDLERS, need_user, paged, repo_of
from standins.web import Answer, Call, Refused


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


@HANDLERS("GET", "/repos/{owner}/{repo}/collaborators")
def list_collaborators(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    rows = forge.store.all(
        "SELECT a.* FROM account a JOIN collaborator c ON c.user_id = a.id WHERE c.repo_id = ? ORDER BY a.id",
        repo["id"],
    )
    return paged(call, rows, lambda row: shapes.user(forge, row))


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

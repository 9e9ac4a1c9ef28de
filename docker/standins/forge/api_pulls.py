"""Pulls: listed, opened, edited, merged; their commits, files and differences."""

from __future__ import annotations

from urllib.parse import quote

from standins.forge import pulls, shapes
from standins.forge.forge import WRITE, Forge, Row
from standins.forge.handlers import HANDLERS, need_user, paged, repo_of
from standins.web import Answer, Call, Refused

_ORDERS = {
    "oldest": "number ASC",
    "recentupdate": "updated DESC, number DESC",
    "leastupdate": "updated ASC, number ASC",
}
_STATUS = {"A": "added", "D": "deleted", "M": "changed", "T": "changed"}


def pull_of(forge: Forge, repo: Row, call: Call) -> Row:
    return pulls.find(forge, repo, call.params["index"])


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls")
def list_pulls(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    state = call.query.get("state") or "open"
    order = _ORDERS.get(call.query.get("sort", ""), "number DESC")
    rows = forge.store.all(
        f"SELECT * FROM pull WHERE repo_id = ? AND (? = 'all' OR state = ?) ORDER BY {order}",  # noqa: S608
        repo["id"],
        state,
        state,
    )
    base = call.query.get("base_branch")
    rows = [row for row in rows if not base or row["base"] == base]
    # The list carries no line counts: they would cost a git diff for each row.
    shown_repo = shapes.repository(forge, repo, call.user)
    return paged(call, rows, lambda row: shapes.pull(forge, repo, row, call.user, numbers=False, shown_repo=shown_repo))


@HANDLERS("POST", "/repos/{owner}/{repo}/pulls")
def open_pull(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    author = need_user(call)
    base = call.text("base") or repo["default_branch"]
    made = pulls.open_pull(forge, repo, author, call.text("title"), call.text("body"), call.text("head"), base)
    return Answer(shapes.pull(forge, repo, made, author), 201)


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls/{index}")
def get_pull(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    return Answer(shapes.pull(forge, repo, pull_of(forge, repo, call), call.user))


@HANDLERS("PATCH", "/repos/{owner}/{repo}/pulls/{index}")
def edit_pull(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    doer, pull = need_user(call), pull_of(forge, repo, call)
    if pull["author_id"] != doer["id"] and forge.level(doer, repo) < WRITE:
        raise Refused(403, "user should have permission to edit this pull")
    return Answer(shapes.pull(forge, repo, pulls.edit(forge, repo, doer, pull, call.body), doer), 201)


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls/{index}/commits")
def list_commits(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    pull = pull_of(forge, repo, call)
    span = f"{pull['merge_base']}..{pull['head_sha']}" if pull["merge_base"] else pull["head_sha"]
    rows: list[Row] = [{"commit": commit} for commit in forge.bare(repo).log(["-n500", span])]
    return paged(call, rows, lambda row: shapes.api_commit(forge, repo, row["commit"]))


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls/{index}/files")
def list_files(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    pull = pull_of(forge, repo, call)
    web = f"{forge.url}/{shapes.full_name(forge, repo)}"
    api = f"{forge.url}/api/v1/repos/{shapes.full_name(forge, repo)}/contents"

    def show(row: Row) -> dict[str, object]:
        name, sha = quote(row["filename"]), pull["head_sha"]
        return {
            "filename": row["filename"],
            "status": _STATUS.get(row["kind"], "changed"),
            "additions": row["add"],
            "deletions": row["del"],
            "changes": row["add"] + row["del"],
            "html_url": f"{web}/src/commit/{sha}/{name}",
            "contents_url": f"{api}/{name}?ref={sha}",
            "raw_url": f"{web}/raw/commit/{sha}/{name}",
        }

    files = forge.bare(repo).changed_files(pull["merge_base"] or pull["head_sha"], pull["head_sha"])
    return paged(call, files, show)


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls/{index}.{diffType}")
def get_diff(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    pull = pull_of(forge, repo, call)
    if call.params["diffType"] != "diff":
        raise Refused(404, "only diff is spoken here")
    text = forge.bare(repo).git("diff", pull["merge_base"] or pull["head_sha"], pull["head_sha"])
    return Answer(content=text.encode("utf-8"), media_type="text/plain; charset=utf-8")


@HANDLERS("GET", "/repos/{owner}/{repo}/pulls/{index}/merge")
def is_merged(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call)
    if not pull_of(forge, repo, call)["merged"]:
        raise Refused(404, "not merged")
    return Answer(status=204)


@HANDLERS("POST", "/repos/{owner}/{repo}/pulls/{index}/merge")
def merge(forge: Forge, call: Call) -> Answer:
    repo = repo_of(forge, call, WRITE)
    pulls.merge(forge, repo, need_user(call), call.params["index"], call.body)
    return Answer()

"""The life of a pull: opened, edited, closed, merged. Merges are git's; a conflict is git's answer."""

from __future__ import annotations

from typing import Any

from standins.forge import payloads, shapes
from standins.forge.forge import Forge, Row
from standins.forge.git import ZERO, GitFailed
from standins.forge.hooks import emit
from standins.forge.refs import Moved, close, moved, note
from standins.store import now_ms
from standins.web import Refused


def find(forge: Forge, repo: Row, number: int) -> Row:
    """The pull with this number. Raises Refused(404)."""
    pull = forge.store.one("SELECT * FROM pull WHERE repo_id = ? AND number = ?", repo["id"], number)
    if pull is None:
        raise Refused(404, "pull request does not exist")
    return pull


def open_pull(forge: Forge, repo: Row, author: Row, title: str, body: str, head: str, base: str) -> Row:
    """A new pull from one branch into another."""
    head = head.rpartition(":")[2]
    if not title.strip():
        raise Refused(422, "title is empty")
    if head == base:
        raise Refused(422, "Invalid PullRequest: There are no changes between the head and the base")
    bare = forge.bare(repo)
    # Under the repository's lock no push comes between reading the head and booking it.
    with bare.lock:
        heads = {name: forge.head_of(repo, name) for name in (head, base)}
        for name, sha in heads.items():
            if sha is None:
                raise Refused(404, f"branch does not exist [name: {name}]")
        head_sha = str(heads[head])
        merge_base = bare.merge_base(str(heads[base]), head_sha)
        bare.changed_files(merge_base or head_sha, head_sha)
        bare.test_merge(str(heads[base]), head_sha)
        with forge.store.change():
            twin = forge.store.value(
                "SELECT number FROM pull WHERE repo_id = ? AND head = ? AND base = ? AND state = 'open'",
                repo["id"],
                head,
                base,
            )
            if twin is not None:
                raise Refused(409, f"pull request already exists for these targets [number: {twin}]")
            at = now_ms()
            number = int(forge.store.value("SELECT last_index FROM repository WHERE id = ?", repo["id"])) + 1
            forge.store.set("repository", repo["id"], last_index=number)
            forge.store.add(
                "pull",
                repo_id=repo["id"],
                number=number,
                author_id=author["id"],
                title=title,
                body=body,
                head=head,
                base=base,
                head_sha=head_sha,
                merge_base=merge_base,
                created=at,
                updated=at,
            )
            pull = find(forge, repo, number)
            emit(forge, repo, "pull_request", payloads.pull_event(forge, repo, pull, author, "opened"))
        bare.set_ref(f"refs/pull/{number}/head", head_sha)
    return pull


def edit(forge: Forge, repo: Row, doer: Row, pull: Row, wanted: dict[str, Any]) -> Row:
    """Change title, body, base or state. Each change that Gitea tells is told."""
    changes: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for name in ("title", "body"):
        value = wanted.get(name)
        if isinstance(value, str) and value != pull[name]:
            fields[name], changes[name] = value, {"from": pull[name]}
    base = wanted.get("base")
    if isinstance(base, str) and base and base != pull["base"]:
        sha = forge.head_of(repo, base)
        if sha is None:
            raise Refused(404, f"branch does not exist [name: {base}]")
        fields["base"], changes["ref"] = base, {"from": pull["base"]}
        fields["merge_base"] = forge.bare(repo).merge_base(sha, pull["head_sha"])
        forge.bare(repo).test_merge(sha, pull["head_sha"])
    state = wanted.get("state")
    if state not in (None, "", "open", "closed"):
        raise Refused(422, f"state is not valid [state: {state}]")
    if pull["merged"] and (state == "open" or "base" in fields):
        raise Refused(412, "cannot change state of this pull request, it was already merged")
    with forge.store.change():
        if fields:
            forge.store.set("pull", pull["id"], updated=now_ms(), **fields)
            if "title" in fields:
                note(forge, pull, doer, "change_title", old_title=pull["title"], new_title=fields["title"])
            if "base" in fields:
                note(forge, pull, doer, "change_target_branch", old_ref=pull["base"], new_ref=fields["base"])
            pull = find(forge, repo, pull["number"])
            emit(forge, repo, "pull_request",
                 payloads.pull_event(forge, repo, pull, doer, "edited", changes=changes))  # fmt: skip
        if state == "closed" and pull["state"] == "open":
            close(forge, repo, doer, pull)
        elif state == "open" and pull["state"] == "closed":
            if forge.head_of(repo, pull["head"]) is None:
                raise Refused(404, f"branch does not exist [name: {pull['head']}]")
            head = str(forge.head_of(repo, pull["head"]))
            forge.store.set("pull", pull["id"], state="open", closed_at=None, updated=now_ms(), head_sha=head)
            note(forge, pull, doer, "reopen")
            pull = find(forge, repo, pull["number"])
            emit(forge, repo, "pull_request", payloads.pull_event(forge, repo, pull, doer, "reopened"))
    return find(forge, repo, pull["number"])


def merge(forge: Forge, repo: Row, doer: Row, number: int, wanted: dict[str, Any]) -> Row:
    """Merge a pull into its base. Refused: 404 closed, 405 not mergeable as far as is known, 409 head or base moved."""
    style = wanted.get("Do") or wanted.get("do") or "merge"
    if style not in ("merge", "squash"):
        raise Refused(422, "[Do]: In")
    bare = forge.bare(repo)
    with bare.lock:
        pull = find(forge, repo, number)
        base_sha = forge.head_of(repo, pull["base"])
        if pull["merged"]:
            raise Refused(405, "The PR is already merged")
        if pull["state"] != "open" or base_sha is None:
            raise Refused(404, "The target couldn't be found.")
        if shapes.is_draft(pull["title"]):
            raise Refused(405, "Work in progress PRs cannot be merged")
        tree = bare.tested_merge(base_sha, pull["head_sha"])
        if tree is None or bare.is_ancestor(pull["head_sha"], base_sha):
            # It says the same of a conflict, of a pull not tested yet and of one with nothing to merge.
            raise Refused(405, "Please try again later")
        _allowed_by_rules(forge, repo, doer, pull, base_sha)
        wanted_head = wanted.get("head_commit_id")
        if wanted_head and wanted_head != pull["head_sha"]:
            raise Refused(409, "head out of date")
        sha = bare.commit_tree(
            tree,
            [base_sha] if style == "squash" else [base_sha, pull["head_sha"]],
            _message(forge, repo, pull, style, wanted),
            doer["full_name"] or doer["login"],
            doer["email"] or f"{doer['login']}@workers.invalid",
        )
        try:
            bare.set_ref(f"refs/heads/{pull['base']}", sha, base_sha)
        except GitFailed as failed:
            raise Refused(409, f"the base moved while merging: {failed}") from None
        _book_merge(forge, repo, doer, pull, base_sha, sha)
        if wanted.get("delete_branch_after_merge"):
            delete_branch(forge, repo, doer, pull["head"])
    return find(forge, repo, number)


def delete_branch(forge: Forge, repo: Row, doer: Row, name: str) -> None:
    """Remove a branch. Raises Refused: 404 unknown, 403 default or protected."""
    bare = forge.bare(repo)
    with bare.lock:
        sha = forge.head_of(repo, name)
        if sha is None:
            raise Refused(404, "branch does not exist")
        if name == repo["default_branch"] or forge.protection(repo, name):
            raise Refused(403, "branch is the default branch or protected")
        bare.drop_ref(f"refs/heads/{name}")
        moved(forge, repo, doer, [Moved(f"refs/heads/{name}", sha, ZERO)])


def _book_merge(forge: Forge, repo: Row, doer: Row, pull: Row, before: str, sha: str) -> None:
    at = now_ms()
    with forge.store.change() as db:
        db.execute("INSERT OR REPLACE INTO branch VALUES (?, ?, ?)", (repo["id"], pull["base"], sha))
        forge.store.set(
            "pull",
            pull["id"],
            state="closed",
            merged=1,
            merged_by=doer["id"],
            merged_at=at,
            merge_sha=sha,
            closed_at=at,
        )
        note(forge, pull, doer, "merge_pull")
        merged = find(forge, repo, pull["number"])
        emit(forge, repo, "pull_request", payloads.pull_event(forge, repo, merged, doer, "closed"))
        moved(forge, repo, doer, [Moved(f"refs/heads/{pull['base']}", before, sha)])


def _allowed_by_rules(forge: Forge, repo: Row, doer: Row, pull: Row, base_sha: str) -> None:
    rule = forge.protection(repo, pull["base"])
    if rule is None:
        return
    latest: dict[int, Row] = {}
    for review in forge.store.all(
        "SELECT * FROM review WHERE pull_id = ? AND state IN ('APPROVED', 'REQUEST_CHANGES') ORDER BY id", pull["id"]
    ):
        latest[review["user_id"]] = review
    standing = [each for each in latest.values() if each["official"] and not each["dismissed"]]
    fresh = [each for each in standing if not (rule.get("ignore_stale_approvals") and each["stale"])]
    approvals = sum(each["state"] == "APPROVED" for each in fresh)
    if approvals < int(rule.get("required_approvals") or 0):
        raise Refused(405, "Does not have enough approvals")
    if rule.get("block_on_rejected_reviews") and any(each["state"] == "REQUEST_CHANGES" for each in standing):
        raise Refused(405, "There are requested changes")
    if rule.get("block_on_official_review_requests") and forge.store.one(
        "SELECT 1 FROM review WHERE pull_id = ? AND state = 'REQUEST_REVIEW'", pull["id"]
    ):
        raise Refused(405, "There are official review requests")
    if rule.get("block_on_outdated_branch") and not forge.bare(repo).is_ancestor(base_sha, pull["head_sha"]):
        raise Refused(405, "The head branch is behind the base branch")


def _message(forge: Forge, repo: Row, pull: Row, style: str, wanted: dict[str, Any]) -> str:
    title = wanted.get("MergeTitleField") or (
        f"{pull['title']} (#{pull['number']})"
        if style == "squash"
        else f"Merge pull request '{pull['title']}' (#{pull['number']}) from {pull['head']} into {pull['base']}"
    )
    link = f"{forge.url}/{shapes.full_name(forge, repo)}/pulls/{pull['number']}"
    body = wanted.get("MergeMessageField") or f"Reviewed-on: {link}"
    return f"{title}\n\n{body}\n"

"""Real git by plumbing commands on bare repositories: what a commit is, what a merge gives, which files differ."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ZERO = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%aI%x00%cI%x00%B"
_CONFIG = {
    "receive.autogc": "false",
    "gc.auto": "0",
    "receive.hideRefs": "refs/pull",
    "core.logAllRefUpdates": "false",
    "core.quotePath": "false",
    "uploadpack.allowAnySHA1InWant": "true",
}


class GitFailed(Exception):
    """A git command failed; the message is its standard error."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as git tells it, with the files its first-parent difference touches."""

    sha: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    committer: tuple[str, str, str]
    message: str
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    modified: list[str] = field(default_factory=list)


class Bare:
    """One bare repository. Reading is free; whoever moves a ref holds `lock`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.RLock()
        self._merged: dict[tuple[str, str], str | None] = {}
        self._commits: dict[str, Commit] = {}
        self._files_of: dict[tuple[str, str], list[dict[str, Any]]] = {}

    @classmethod
    def create(cls, path: Path, branch: str) -> Bare:
        """An empty bare repository."""
        path.parent.mkdir(parents=True, exist_ok=True)
        run(["init", "--quiet", "--bare", f"--initial-branch={branch}", str(path)])
        bare = cls(path)
        for key, value in _CONFIG.items():
            bare.git("config", key, value)
        return bare

    def git(self, *args: str, stdin: str | None = None, env: dict[str, str] | None = None) -> str:
        """Standard output of a git command in this repository. Raises GitFailed."""
        return run(["--git-dir", str(self.path), *args], stdin=stdin, env=env)

    def heads(self) -> dict[str, str]:
        """Every branch and the commit it points at."""
        out = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/")
        pairs = (line.split(" ", 1) for line in out.splitlines())
        return {ref.removeprefix("refs/heads/"): sha for ref, sha in pairs}

    def resolve(self, name: str) -> str | None:
        """The commit behind a name, or None."""
        try:
            return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
        except GitFailed:
            return None

    def set_ref(self, ref: str, new: str, old: str | None = None) -> None:
        """Move a ref; with `old`, only from there."""
        self.git("update-ref", ref, new, *([old] if old is not None else []))

    def drop_ref(self, ref: str) -> None:
        self.git("update-ref", "-d", ref)

    def merge_base(self, one: str, other: str) -> str:
        """The best common ancestor, empty without one."""
        try:
            return self.git("merge-base", one, other).strip()
        except GitFailed:
            return ""

    def is_ancestor(self, older: str, newer: str) -> bool:
        return self.merge_base(older, newer) == older

    def _merged_tree(self, base: str, head: str) -> str | None:
        """The tree of a merge of two commits, or None where git finds a conflict."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.path), "merge-tree", "--write-tree", "--name-only", base, head],
            capture_output=True,
            env=environment(),
            check=False,
        )
        if done.returncode == 0:
            return done.stdout.decode().splitlines()[0]
        if done.returncode == 1:
            return None
        raise GitFailed(done.stderr.decode("utf-8", "replace"))

    def test_merge(self, base: str, head: str) -> None:
        """Find out whether head merges into base without a conflict; remembered, for two commits never change."""
        if (base, head) not in self._merged:
            tree = self._merged_tree(base, head)
            if len(self._merged) > 50_000:
                self._merged.clear()
            self._merged[(base, head)] = tree

    def tested_merge(self, base: str, head: str) -> str | None:
        """The tree of the merge that was tested; None for a conflict, and for what no test has reached yet."""
        return self._merged.get((base, head))

    def commit_tree(self, tree: str, parents: list[str], message: str, name: str, email: str) -> str:
        """A commit made by the forge in a person's name."""
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in
               (("NAME", name), ("EMAIL", email))}  # fmt: skip
        flags = [flag for parent in parents for flag in ("-p", parent)]
        return self.git("commit-tree", tree, *flags, stdin=message, env=who).strip()

    def commit(self, sha: str) -> Commit | None:
        """One commit with its files, or None."""
        found = self._commits.get(sha)
        if found is None:
            try:
                found = next(iter(self.log([sha, "-n1"])), None)
            except GitFailed:
                return None
        return found

    def log(self, args: list[str]) -> list[Commit]:
        """Commits of a range, newest first, with the files each touched."""
        flags = [arg for arg in args if arg.startswith("-n")]
        names = [arg for arg in args if not arg.startswith("-")]
        out = self.git("log", "-z", f"--format={_FIELDS}", *flags, "--end-of-options", *names, "--")
        parts = out.split("\0")
        rows = [parts[at : at + 9] for at in range(0, len(parts) - 8, 9)]
        missing = [row[0] for row in rows if row[0] not in self._commits]
        files = self._files(missing) if missing else {}
        found = []
        for sha, parents, an, ae, cn, ce, ai, ci, body in rows:
            if sha not in self._commits:
                touched = files.get(sha, {})
                self._commits[sha] = Commit(
                    sha,
                    tuple(parents.split()),
                    (an, ae, ai),
                    (cn, ce, ci),
                    body,
                    touched.get("A", []),
                    touched.get("D", []),
                    [*touched.get("M", []), *touched.get("T", [])],
                )
            found.append(self._commits[sha])
        return found

    def _files(self, shas: list[str]) -> dict[str, dict[str, list[str]]]:
        out = self.git(
            "diff-tree", "--stdin", "-r", "-z", "--root", "--no-renames", "--name-status", "--diff-merges=first-parent",
            stdin="\n".join(shas) + "\n",
        )  # fmt: skip
        found: dict[str, dict[str, list[str]]] = {}
        words = iter(out.split("\0"))
        current: dict[str, list[str]] = {}
        for word in words:
            if len(word) == 40:
                current = found.setdefault(word, {})
            elif word:
                current.setdefault(word[:1], []).append(next(words, ""))
        return found

    def changed_files(self, base: str, head: str) -> list[dict[str, Any]]:
        """Files that differ between two commits: name, status, additions, deletions. Remembered."""
        if (base, head) in self._files_of:
            return self._files_of[(base, head)]
        status = self.git("diff", "--name-status", "-z", "--no-renames", base, head).split("\0")
        kinds = dict(zip(status[1::2], status[0::2], strict=False))
        rows = []
        for line in self.git("diff", "--numstat", "-z", "--no-renames", base, head).split("\0"):
            if line:
                more, less, name = line.split("\t", 2)
                counts = [0 if each == "-" else int(each) for each in (more, less)]
                rows.append({"filename": name, "kind": kinds.get(name, "M")[:1], "add": counts[0], "del": counts[1]})
        if len(self._files_of) > 5_000:
            self._files_of.clear()
        self._files_of[(base, head)] = rows
        return rows

    def patch_id(self, base: str, head: str) -> str:
        """A name for what a difference says, wherever it sits in the file."""
        diff = self.git("diff", base, head)
        return run(["patch-id", "--stable"], stdin=diff).split(" ", 1)[0]


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        **(extra or {}),
    }


def run(args: list[str], *, stdin: str | None = None, env: dict[str, str] | None = None) -> str:
    """Standard output of git. Bytes that are no UTF-8 are replaced. Raises GitFailed."""
    done = subprocess.run(
        ["git", *args],
        input=stdin.encode("utf-8", "replace") if stdin is not None else None,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=environment(env),
        check=False,
    )
    if done.returncode != 0:
        raise GitFailed(done.stderr.decode("utf-8", "replace").strip() or f"git {args[0]} gave {done.returncode}")
    return done.stdout.decode("utf-8", "replace")

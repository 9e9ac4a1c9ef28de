"""The shell commands the script gives. Each prints the time and, last, its own exit code: harnesses wrap output differently."""

from __future__ import annotations

import shlex

from standins.model.task import SubTask, Task

END = 'printf "[now %s]\\n[exit %s]\\n" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$code"'

# Keeps both sides of every conflict, then puts each group of the table in order again.
KEEP_BOTH = """import re, subprocess
names = subprocess.run(["git", "diff", "--name-only", "--diff-filter=U"], capture_output=True, text=True).stdout.split()
for name in names:
    lines = [l for l in open(name) if not re.match(r"(<{7}|={7}|>{7})", l)]
    done = []
    for line in lines:
        if line.startswith('    "') and done and done[-1].startswith('    "') and line in done:
            continue
        done.append(line)
    i = 0
    while i < len(done):
        j = i
        while j < len(done) and done[j].startswith('    "'):
            j += 1
        done[i:j] = sorted(done[i:j])
        i = max(j, i + 1)
    open(name, "w").writelines(done)
    print("kept both sides of", name)
"""

ADD_LINE = """path, group, line = {path!r}, {group!r}, {line!r}
lines = open(path).read().splitlines()
at = lines.index("    # " + group) + 1
while at < len(lines) and lines[at].startswith('    "') and lines[at] < line:
    at += 1
if lines[at] != line:
    lines.insert(at, line)
open(path, "w").write("\\n".join(lines) + "\\n")
"""


def ended(body: str) -> str:
    """The body in a subshell that stops at its first failure, with the code and the time printed after it."""
    return f"(\nset -e\n{body.strip()}\n) 2>&1\ncode=$?\n{END}"


def heredoc(path: str, text: str) -> str:
    return f"cat > {shlex.quote(path)} <<'END_OF_FILE'\n{text.rstrip(chr(10))}\nEND_OF_FILE"


def python(source: str) -> str:
    return f"python3 - <<'END_OF_PYTHON'\n{source}END_OF_PYTHON"


class Shell:
    """Commands for one worker's clone of the repository."""

    def __init__(self, task: Task, repository: str, task_folder: str) -> None:
        self.task, self.repository, self.folder = task, repository, task_folder
        self.clone = repository.rstrip("/").rsplit("/", 1)[-1].removesuffix(".git") or task.name

    def _in_clone(self, body: str) -> str:
        return ended(f"cd {shlex.quote(self.clone)}\n{body}")

    def _check(self, subtask: SubTask, quick: bool = False) -> str:
        check = shlex.quote(f"{self.folder}/docs/check.py")
        return f"{self.task.build}\npython3 -IS {check} {subtask.id}{' --quick' if quick else ''}"

    def arrive(self) -> str:
        """Clone once, fetch, and list the sub-tasks."""
        url, clone = shlex.quote(self.repository), shlex.quote(self.clone)
        listing = shlex.quote(f"{self.folder}/docs/subtasks.json")
        return ended(
            f"[ -d {clone}/.git ] || git clone -q {url} {clone}\n"
            f"cd {clone}\ngit fetch -q --prune origin\ngit log --oneline -3 origin/main\n"
            f"grep -o '\"id\": \"[a-z0-9]*\"' {listing} | tr '\\n' ' '"
        )

    def wait(self, seconds: int) -> str:
        return ended(f"sleep {seconds}")

    def start(self, branch: str, base: str, subtask: SubTask) -> str:
        """A fresh branch, and what the documentation says about the sub-task."""
        docs = shlex.quote(f"{self.folder}/docs/README.md")
        return self._in_clone(
            f"git fetch -q origin\ngit checkout -q -f -B {branch} {base}\n"
            f"sed -n '/^\\*\\*{subtask.id}\\*\\*/,/^$/p' {docs}"
        )

    def write(self, subtask: SubTask, variant: str, quick: bool) -> str:
        """Write the module and its line in the table, build, and run the sub-task's checks."""
        files = "\n".join(heredoc(path, text) for path, text in subtask.variant(variant).items())
        line = python(ADD_LINE.format(path=self.task.table, group=subtask.group, line=subtask.table_line))
        return self._in_clone(f"{files}\n{line}\n{self._check(subtask, quick)}")

    def check(self, subtask: SubTask) -> str:
        """All acceptance checks on what is checked out."""
        return self._in_clone(self._check(subtask))

    def push(self, branch: str, paths: list[str], title: str) -> str:
        add = " ".join(shlex.quote(path) for path in [*paths, self.task.table])
        return self._in_clone(
            f"git add {add}\ngit diff --cached --quiet || git commit -q -m {shlex.quote(title)}\ngit push -q -f -u origin {branch}\ngit show --stat --oneline HEAD"
        )

    def drop(self) -> str:
        """Leave unfinished work behind."""
        return self._in_clone("git checkout -q -f --detach origin/main\ngit clean -fdq")

    def review(self, branch: str, subtask: SubTask, quick: bool) -> str:
        """Check a peer's branch out and run the checks."""
        return self._in_clone(
            f"git fetch -q origin\ngit checkout -q -f --detach origin/{branch}\n"
            f"git diff --stat origin/main...HEAD\n{self._check(subtask, quick)}"
        )

    def try_merge(self, branch: str, subtask: SubTask) -> str:
        """Merge the branch into main on this side only, and check the result."""
        return self._in_clone(
            f"git fetch -q origin\ngit checkout -q -f --detach origin/main\n"
            f"git merge -q --no-edit origin/{branch}\n{self._check(subtask)}"
        )

    def rebase(self, branch: str) -> str:
        """Put the branch on top of main; git may stop at a conflict."""
        return self._in_clone(
            f"git rebase --abort 2>/dev/null || git merge --abort 2>/dev/null || true\ngit fetch -q origin\n"
            f"git checkout -q -f -B {branch} origin/{branch}\ngit rebase origin/main"
        )

    def resolve(self) -> str:
        """Keep both sides of the conflict and go on with the rebase."""
        return self._in_clone(
            f"git diff --diff-filter=U | head -40\n{python(KEEP_BOTH)}\ngit add -u\nGIT_EDITOR=true git rebase --continue"
        )

    def push_rebased(self, branch: str, subtask: SubTask) -> str:
        """Check the rebased branch and push it over the old one, unless somebody pushed meanwhile."""
        return self._in_clone(f"{self._check(subtask)}\ngit push -q --force-with-lease origin {branch}")

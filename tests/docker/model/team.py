"""A whole team on a made-up clock: the scripted model decides, real shells work on real clones, nobody waits for real time."""

from __future__ import annotations

import heapq
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from standins.model.draw import draw
from standins.model.mind import Conversation, Exchange, decide
from standins.model.task import Task
from tests.docker.model.services import Services, dated, iso

ROOT = Path(__file__).parents[3]
TASK = ROOT / "docker" / "tasks" / "rill"
MCP = [
    "board_read",
    "board_write",
    "chat_post",
    "chat_direct",
    "repo_pulls",
    "repo_open_pull",
    "repo_request_review",
    "repo_review",
    "repo_merge",
    "repo_close",
]
TOOLS = frozenset(["shell", *MCP])
THINK_S, TOOL_S, SHELL_S = 0.6, 0.15, 0.9
IDLE_LIMIT_S = 45.0
T0 = 1_800_000_000.0


# a stable folder: the same module need not be checked again in the next run either
CHECKED = Path(tempfile.gettempdir()) / f"agensh-checked-{os.getuid()}"
REMEMBER = r"""#!/bin/bash
case "$2" in */check.py)
  key=$( (cat rillib/$3.py rillib/options.py rillib/main.py "$2" "$(dirname "$2")/subtasks.json"; grep -F "\"$3\":" rillib/commands.py
          grep -c '^[<>=]\{7\}' rillib/commands.py; echo "${@:3}") 2>/dev/null | sha1sum | cut -d' ' -f1)
  kept=CHECKED/$key
  if [ ! -f "$kept.code" ]; then
    REAL "$@" >"$kept.$$" 2>&1; code=$?
    mv "$kept.$$" "$kept"; echo $code >"$kept.code.$$"; mv "$kept.code.$$" "$kept.code"
  fi
  cat "$kept"; exit "$(cat "$kept.code")";;
esac
exec REAL "$@"
"""


@dataclass
class Member:
    name: str
    prompt: str
    home: Path
    since_user: list[Exchange] = field(default_factory=list)
    inbox: list[dict[str, Any]] = field(default_factory=list)
    news: bool = False
    idle_since: float | None = None
    length: int = 1
    last_said: str = ""


class Team:
    """`run` plays until every sub-task landed and every pull is settled, or the time is over."""

    def __init__(self, folder: Path, names: list[str], seed: str = "1", ramp_s: float = 1.0) -> None:
        self.folder, self.seed = folder, seed
        self.task = Task.read(TASK)
        self.bare = folder / "rill.git"
        (folder / "task").symlink_to(TASK)
        self._seed_repository()
        self._shims()
        self.services = Services(self.bare, self._wake)
        template = (ROOT / "docker/worker/prompt.md").read_text("utf-8")
        self.members = {}
        for name in names:
            prompt = template.replace("{{name}}", name).replace("{{task}}", "rill")
            # paths relative to home and clone: the same prompt, and so the same run, wherever it is played
            prompt = prompt.replace("{{task_folder}}", "../task").replace("{{repository}}", "../rill.git")
            home = folder / name
            home.mkdir()
            (home / "task").symlink_to(TASK)
            self.members[name] = Member(name, prompt, home)
        self.now = T0
        self._queue: list[tuple[float, int, str]] = []
        self._count = 0
        self.calls: dict[str, int] = defaultdict(int)
        self.shell_s = 0.0
        self.failed_shells: list[tuple[str, str, str]] = []
        for n, name in enumerate(names):
            start = T0 + 2.0 + max(0, n - 3) * ramp_s + draw(seed, name, "start") * 0.8
            heapq.heappush(self._queue, (start, n, name))

    def _seed_repository(self) -> None:
        work = self.folder / "seed"
        shutil.copytree(TASK / "seed", work)
        for args in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Seed"]):
            command = ["git", "-c", "user.name=s", "-c", "user.email=s@x", *args]
            subprocess.run(command, cwd=work, check=True, env={**os.environ, **dated(T0)})
        subprocess.run(["git", "clone", "-q", "--bare", str(work), str(self.bare)], check=True)

    def _shims(self) -> None:
        """A clock that is made up, a sleep that takes no time, and checks that are run once for the same module."""
        shims, real = self.folder / "shims", os.path.realpath(sys.executable)
        shims.mkdir()
        (shims / "date").write_text('#!/bin/sh\necho "$TEAM_NOW"\n')
        (shims / "sleep").write_text("#!/bin/sh\n")
        CHECKED.mkdir(exist_ok=True)
        (shims / "python3").write_text(REMEMBER.replace("REAL", real).replace("CHECKED", str(CHECKED)))
        for shim in shims.iterdir():
            shim.chmod(0o755)
        self.path = f"{shims}:{Path(real).parent}:/usr/bin:/bin"

    def _wake(self, to: str | None, sender: str, feed: str, text: str) -> None:
        for member in self.members.values():
            if member.name == sender or (to is not None and member.name != to):
                continue
            if feed in ("direct", "board"):
                member.inbox.append({"feed": feed, "item": "1", "from": sender, "text": text, "at": iso(self.now)})
            member.news = True
            if member.idle_since is not None:
                self._start_turn(member, self.now + 0.4)

    def _start_turn(self, member: Member, at: float) -> None:
        member.idle_since, member.news = None, False
        member.since_user.clear()
        member.inbox.clear()
        member.length += 1
        self._push(at, member.name)

    def _push(self, at: float, name: str) -> None:
        self._count += 1
        heapq.heappush(self._queue, (at, 100 + self._count, name))

    def settled(self) -> bool:
        pulls = self.services.pulls.values()
        landed = {p.title.split(":")[0] for p in pulls if p.state == "merged"}
        return landed >= set(self.task.subtasks) and not any(p.state == "open" for p in pulls)

    def run(self, limit_s: float = 240.0) -> float:
        """Seconds until the team was done (or the limit)."""
        while self._queue and not self.settled():
            at, _, name = heapq.heappop(self._queue)
            self.now = max(self.now, at)
            if self.now - T0 > limit_s:
                break
            self._step(self.members[name])
            if not self._queue:
                self._nudge()
        return self.now - T0

    def _nudge(self) -> None:
        for member in self.members.values():
            if member.idle_since is not None:
                self._start_turn(member, member.idle_since + IDLE_LIMIT_S)

    def _step(self, member: Member) -> None:
        talk = Conversation(member.prompt, tuple(member.since_user), TOOLS, False, member.length)
        answer = decide(self.seed, self.task, talk)
        self.calls[member.name] += 1
        think = THINK_S * (0.7 + 0.6 * draw(self.seed, talk.key()))
        if answer.call is None:
            member.last_said = answer.text
            if member.news:
                self._start_turn(member, self.now + think)
            else:
                member.idle_since = self.now
            return
        member.length += 2
        tool, args = answer.call.tool, answer.call.arguments
        if tool == "shell":
            text, took = self._shell(member, args["command"])
        else:
            text, took = json.dumps(self.services.call(member.name, tool, args, self.now)), TOOL_S
        if tool != "shell" and member.inbox:
            text += "\n" + json.dumps({"inbox": member.inbox})
            member.inbox = []
        member.since_user.append(Exchange(tool, text))
        self._push(self.now + think + took, member.name)

    def _shell(self, member: Member, command: str) -> tuple[str, float]:
        env = {
            "PATH": self.path,
            "HOME": str(member.home),
            "TEAM_NOW": iso(self.now),
            **dated(self.now),
            "GIT_AUTHOR_NAME": member.name,
            "GIT_AUTHOR_EMAIL": f"{member.name}@workers.invalid",
            "GIT_COMMITTER_NAME": member.name,
            "GIT_COMMITTER_EMAIL": f"{member.name}@workers.invalid",
        }
        started = time.monotonic()
        done = subprocess.run(
            ["/bin/bash", "-c", command], cwd=member.home, env=env, capture_output=True, text=True, errors="replace"
        )
        self.shell_s += time.monotonic() - started
        output = done.stdout + done.stderr
        if "[exit 0]" not in output:
            self.failed_shells.append((member.name, command, output))
        waited = 3.0 if "\nsleep " in command else 0.0
        return json.dumps({"exit_code": done.returncode, "output": output}), SHELL_S + waited

    def story(self) -> dict[str, Any]:
        """What happened: the goals of a demo run as counts."""
        pulls = self.services.pulls.values()
        withdrawn = 0
        for pull in pulls:
            approved: set[str] = set()
            for review in pull.reviews:
                if review["verdict"] == "approved":
                    approved.add(review["reviewer"])
                elif review["verdict"] == "changes_requested" and review["reviewer"] in approved and review["open"]:
                    withdrawn += 1
                    approved.discard(review["reviewer"])
        fails = [n for n in self.services.board.notes.values() if n.type == "FAIL"]
        takeovers = sum(
            any(
                p.state == "merged" and p.title.split(":")[0] == f.delegation_id and p.author != f.worker for p in pulls
            )
            for f in fails
        )
        merges: dict[str, list[bool]] = defaultdict(list)
        for pull in pulls:
            if pull.merged_by:
                merges[pull.merged_by].append(pull.merged_by != pull.author)
        return {
            "merged": sum(p.state == "merged" for p in pulls),
            "closed": sum(p.state == "closed" for p in pulls),
            "overlaps_settled": sum("release n" in n.text for n in self.services.board.notes.values()),
            "withdrawn": withdrawn,
            "fails": len(fails),
            "takeovers": takeovers,
            "integrators": sum(sum(m) >= 3 and sum(m) * 2 >= len(m) for m in merges.values()),
            "merges": {k: (sum(v), len(v)) for k, v in merges.items()},
            "reviews": sum(len(p.reviews) for p in pulls),
            "notes": len(self.services.board.notes),
            "directs": len(self.services.directs),
            "calls": sum(self.calls.values()),
        }

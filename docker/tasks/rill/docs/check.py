"""Compare a built program with the reference on a sub-task's acceptance commands.

    python3 check.py SUBTASK [--quick] [PROGRAM]

Prints one line for each command that differs and a last line `passed N of M`; exit code 1 if any differs. PROGRAM is `./rill` unless given.
`--quick` runs the first few commands only: enough to see that a module works at all, not that it is right.
What the reference answers is recorded in `expected.json`, made by running it; `--ask-reference` runs it again instead.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def run(command: str, program: str) -> tuple[str, int]:
    """What the command prints (output, then errors) and returns when `rill` is that program; it starts in an empty folder."""
    folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"rill-check-{os.getpid()}-{os.urandom(4).hex()}")  # noqa: S108
    os.makedirs(f"{folder}/bin", mode=0o700)
    os.mkdir(f"{folder}/work")
    try:
        os.symlink(os.path.realpath(program), f"{folder}/bin/rill")
        # this Python first: a version manager's shim in PATH costs more than the program itself
        here = os.path.dirname(os.path.realpath(sys.executable))
        path = f"{folder}/bin:{here}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        with open(f"{folder}/errors", "w+b") as errors:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=f"{folder}/work",
                env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"},
                timeout=20,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
            errors.seek(0)
            return (done.stdout + errors.read()).decode("utf-8", "backslashreplace"), done.returncode
    except subprocess.TimeoutExpired:
        return "(no answer within 20 s)", 124
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wanted(command: str, recorded: dict[str, list]) -> tuple[str, int]:
    """What the reference answers."""
    if command in recorded:
        return recorded[command][0], recorded[command][1]
    return run(command, os.path.join(HERE, "..", "reference", "rill"))


def main(words: list[str]) -> int:
    plain = [word for word in words if not word.startswith("--")]
    with open(f"{HERE}/subtasks.json", encoding="utf-8") as file:
        listed = {subtask["id"]: subtask for subtask in json.load(file)["subtasks"]}
    if not plain or plain[0] not in listed:
        print(f"give one of the sub-tasks: {', '.join(listed)}")
        return 2
    recorded: dict[str, list] = {}
    if "--ask-reference" not in words and os.path.exists(f"{HERE}/expected.json"):
        with open(f"{HERE}/expected.json", encoding="utf-8") as file:
            recorded = json.load(file)
    subtask, program = listed[plain[0]], plain[1] if len(plain) > 1 else "./rill"
    commands = subtask["acceptance"][: subtask["quick"]] if "--quick" in words else subtask["acceptance"]
    passed = 0
    for command in commands:
        right, got = wanted(command, recorded), run(command, program)
        if right == got:
            passed += 1
        else:
            print(f"differs: {command}\n  wanted {right[0]!r} ({right[1]})\n  got    {got[0]!r} ({got[1]})")
    print(f"passed {passed} of {len(commands)}")
    return 0 if passed == len(commands) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

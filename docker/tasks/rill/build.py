"""Make the task's generated parts from its sources: the reference executable and what it answers to tests and acceptance commands.

    python3 docker/tasks/rill/build.py

The reference is the seed with every good solution, zipped into one executable file; the tests' expectations are what
it prints. Run it after a change to `seed/`, `solutions/` or `tests/`; a test fails when the result would differ.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path

TASK = Path(__file__).resolve().parent
LAUNCH = "import sys\nfrom rillib.main import main\nsys.exit(main(sys.argv[1:]))\n"


def sources() -> dict[str, str]:
    """Every module of the finished program."""
    found = {f"rillib/{p.name}": p.read_text() for p in sorted((TASK / "seed/rillib").glob("*.py"))}
    table = found["rillib/commands.py"]
    for subtask in json.loads((TASK / "docs/subtasks.json").read_text())["subtasks"]:
        for path in sorted((TASK / "solutions" / subtask["id"] / "good").rglob("*.py")):
            found[str(path.relative_to(TASK / "solutions" / subtask["id"] / "good"))] = path.read_text()
        group = f"    # {subtask['group']}\n"
        table = table.replace(group, f"{group}{subtask['table_line']}\n")
    return {**found, "rillib/commands.py": table, "__main__.py": LAUNCH}


def reference() -> bytes:
    """The same bytes for the same sources: fixed times, fixed order, stored plain so that it starts fast."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, text in sorted(sources().items()):
            archive.writestr(zipfile.ZipInfo(name), text)
    return b"#!/usr/bin/env -S python3 -IS\n" + packed.getvalue()


def recorded(cases: list[dict], program: Path) -> list[dict]:
    """The cases with what the reference prints and returns."""
    sys.path.insert(0, str(TASK / "docs"))
    from check import run

    done = []
    for case in cases:
        output, code = run(case["run"], str(program))
        done.append({"name": case["name"], "run": case["run"], "output": output, "code": code})
    return done


def answers(program: Path) -> dict[str, list]:
    """What the reference answers to every acceptance command."""
    sys.path.insert(0, str(TASK / "docs"))
    from check import run

    listed = json.loads((TASK / "docs/subtasks.json").read_text())["subtasks"]
    return {command: list(run(command, str(program))) for subtask in listed for command in subtask["acceptance"]}


def main() -> None:
    (TASK / "reference").mkdir(exist_ok=True)
    program = TASK / "reference" / "rill"
    program.write_bytes(reference())
    program.chmod(0o755)
    (TASK / "docs/expected.json").write_text(json.dumps(answers(program), indent=1) + "\n")
    for path in sorted((TASK / "tests").glob("*.json")):
        path.write_text(json.dumps(recorded(json.loads(path.read_text()), program), indent=1) + "\n")


if __name__ == "__main__":
    main()

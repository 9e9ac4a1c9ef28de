"""`python -m runs.scorers --task-dir DIR --repository BARE_OR_URL --commit SHA [--scorer suite] [--limits JSON]`: one JSON line."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from runs.scorers import SCORERS


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m runs.scorers")
    asked.add_argument("--task-dir", required=True, type=Path)
    asked.add_argument("--repository", required=True)
    asked.add_argument("--commit", required=True)
    asked.add_argument("--scorer", default="suite", choices=sorted(SCORERS))
    asked.add_argument("--limits", default="{}", type=json.loads)
    args = asked.parse_args()
    print(json.dumps(SCORERS[args.scorer].score(args.task_dir, args.repository, args.commit, args.limits)))


if __name__ == "__main__":
    main()

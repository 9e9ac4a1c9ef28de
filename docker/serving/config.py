"""`--config FILE`: the JSON file every service is started with."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

PATHS = ("data_dir", "ready_file")


def read_config(
    program: str, argv: list[str] | None = None, required: tuple[str, ...] = ("data_dir",)
) -> dict[str, Any]:
    """The file as a dictionary, `data_dir` and `ready_file` absolute against the file's own folder, `data_dir` made.

    A file that cannot be used ends the program with exit code 2 and one line that names it and the fault.
    """
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--config", required=True, type=Path)
    path: Path = parser.parse_args(argv).config.resolve()
    try:
        config = json.loads(path.read_text("utf-8"))
        missing = [key for key in required if not config.get(key)]
        if missing:
            raise ValueError(f"{', '.join(missing)} is missing")
        for key in PATHS:
            if config.get(key):
                config[key] = str((path.parent / config[key]).resolve())
        Path(config["data_dir"]).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, AttributeError, TypeError) as error:
        print(f"{program}: configuration {path}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    return dict(config)

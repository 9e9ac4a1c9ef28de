"""`python -m board --config FILE`: serve the board until SIGTERM."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from board.app import build
from board.log import open_log
from board.service import Service
from serving.config import read_config
from serving.port import bind
from serving.server import serve
from serving.tokens import Tokens


def main(argv: list[str] | None = None) -> int:
    """Read the configuration, fold the log, serve."""
    config = read_config("board", argv, required=("data_dir", "tokens_file"))
    log = open_log(Path(config["data_dir"]), config.get("database_url"))
    service = Service(log, int(config.get("claim_ttl_s", 3600)), lambda: time.time_ns() // 1_000_000)
    try:
        app = build(service, Tokens(Path(config["tokens_file"])))
        serve(app, config, bind(config), stopping=service.close, lifespan="off")
    finally:
        service.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())

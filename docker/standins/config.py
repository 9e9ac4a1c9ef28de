"""What stand-ins read of their configuration beyond what every service has."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from serving.config import read_config


def standin_config(program: str, argv: list[str] | None = None) -> dict[str, Any]:
    """The configuration, with logging set up as a stand-in's log file wants it."""
    config = read_config(program, argv)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return config


def secret_of(config: dict[str, Any]) -> tuple[str, str]:
    """Name and password of the administrator the configuration asks for."""
    admin = config["admin"]
    return admin["username"], Path(admin["password_file"]).read_text("utf-8").strip()

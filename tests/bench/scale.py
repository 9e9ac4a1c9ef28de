"""`manage.py bench scale` on both databases, each temporary and empty: SQLite in a folder of its own, and a real PostgreSQL with Redis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.house.services import postgres, redis_server  # noqa: E402


def measure(**more: str) -> dict[str, Any]:
    """The figures of one database."""
    with tempfile.TemporaryDirectory(prefix="agensh-scale-") as folder:
        kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        environment = {**kept, "AGENSH_DATA_DIR": folder, **more}
        manage = [sys.executable, str(ROOT / "manage.py")]
        for command in (["migrate", "-v", "0"], ["collectstatic", "--noinput", "-v", "0"]):
            subprocess.run([*manage, *command], env=environment, check=True)
        told = subprocess.run(
            [*manage, "bench", "scale", "--json"], env=environment, check=True, stdout=subprocess.PIPE
        )
        return dict(json.loads(told.stdout))


if __name__ == "__main__":
    print(json.dumps({"sqlite": measure()}, indent=1), flush=True)
    with postgres() as database, redis_server() as redis:
        print(json.dumps({"postgresql": measure(DATABASE_URL=database, REDIS_URL=redis)}, indent=1))

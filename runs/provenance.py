"""What ran: revisions and versions that a later reader needs to repeat or compare a run."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings


def provenance(task: Path) -> dict[str, Any]:
    """Release revision, interpreter, machine and the task's content hash; image digests when a backend has images."""
    return {
        "release": _revision(),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "task_sha256": folder_hash(task),
        "evaluator": _evaluator(task),
        "images": {},
    }


def folder_hash(folder: Path) -> str:
    """SHA-256 over names and contents, in order."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        total.update(str(path.relative_to(folder)).encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _revision() -> str:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _evaluator(task: Path) -> str:
    try:
        return str(yaml.safe_load((task / "task.yaml").read_text()).get("scorer") or "suite")
    except (OSError, yaml.YAMLError, AttributeError):
        return "suite"

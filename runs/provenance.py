"""What ran: revisions and versions that a later reader needs to repeat or compare a run."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from runs.spec import RunSpec


def provenance(task: Path, spec: RunSpec, prompt: Path, ran: Mapping[str, Any]) -> dict[str, Any]:
    """Release, interpreter, machine, hashes of task, prompt and spec, and what the backend says it runs: image ids, the engine's version."""
    told = json.dumps(spec.as_dict(), sort_keys=True, separators=(",", ":")).encode()
    return {
        "release": _revision(),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "task_sha256": folder_hash(task),
        "evaluator": evaluator(task),
        "configuration": {
            "backend": spec.backend,
            "spec_sha256": hashlib.sha256(told).hexdigest(),
            "prompt_sha256": hashlib.sha256(prompt.read_bytes()).hexdigest(),
        },
        "images": {},
        **ran,
    }


def folder_hash(folder: Path) -> str:
    """SHA-256 over names and contents, in order."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        total.update(str(path.relative_to(folder)).encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _revision() -> str:
    """As the image's build was told, else the checkout's."""
    if (told := os.environ.get("AGENSH_RELEASE", "")) not in {"", "unknown"}:
        return told
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def evaluator(task: Path) -> str:
    """The scorer that the task names; `suite` where it names none."""
    try:
        return str(yaml.safe_load((task / "task.yaml").read_text()).get("scorer") or "suite")
    except (OSError, yaml.YAMLError, AttributeError):
        return "suite"

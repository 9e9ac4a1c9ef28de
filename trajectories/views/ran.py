"""What ran, from a run's provenance: rows for people. A bundle may hold anything there; what is no text is left out."""

from __future__ import annotations

from typing import Any

from runs.models import Run

FACTS = {
    "release": "Release",
    "evaluator": "Evaluator",
    "task_sha256": "Task, SHA-256",
    "python": "Python",
    "platform": "Machine",
    "engine": "Docker Engine",
    "compose": "Compose",
}
IMAGES = 20


def what_ran(run: Run) -> list[tuple[str, str]]:
    """(what, value) in the order they are read; empty where nothing is known."""
    told = run.provenance
    rows = [
        (word, str(told[name])[:120]) for name, word in FACTS.items() if isinstance(told.get(name), str) and told[name]
    ]
    images = told.get("images")
    for program, image in list(images.items())[:IMAGES] if isinstance(images, dict) else []:
        if isinstance(image, dict) and (text := _image(image)):
            rows.append((f"Image of {str(program)[:20]}", text))
    return rows


def _image(image: dict[str, Any]) -> str:
    """Its name, what it is pinned by (the registry's digest, else its own id), and whether it stands in for another."""
    digests = image.get("digests")
    pinned = digests[0] if isinstance(digests, list) and digests else image.get("id", "")
    acted = ", stand-in" if image.get("standin") is True else ""
    return f"{str(image.get('name', ''))[:100]} {str(pinned)[:140]}{acted}".strip()

"""Which of a run's services are the real ones. On `compose` the image says so, on `local` the programs that a setting names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from runs.backends.compose import images, readiness
from runs.backends.files import read_json

REAL = {"forge": "Gitea", "chat": "Mattermost"}
_SETTINGS = {"forge": "AGENSH_GITEA", "chat": "AGENSH_MATTERMOST", "teamdb": "AGENSH_POSTGRES"}
Row = tuple[str, bool, str, str]  # name, fit, what is the case, what to do


def chosen(backend: str, data: Path) -> list[str]:
    """`forge`, `chat`, both or none: what a run launched now would have of the real services."""
    if backend == "compose":
        known = (read_json(data / readiness.FILE) or {}).get("images") or {}
        return [name for name in REAL if _is_real(known.get(images.of(name)))]
    return [name for name in REAL if os.environ.get(_SETTINGS[name])]


def in_words(services: Sequence[str], real: Sequence[str]) -> str:
    """`board, Gitea, chat (stand-in), gateway, PostgreSQL`: what a team meets in, each by its true name."""
    acted = {name: REAL[name] if name in real else f"{name} (stand-in)" for name in REAL}
    names = [{**acted, "model": "scripted model"}.get(name, name) for name in services]
    return ", ".join([*names, "PostgreSQL"] if real else names)


def _is_real(image: Mapping[str, Any] | None) -> bool:
    return image is not None and not image.get("standin")


def program(name: str) -> str:
    """On `local`: the program of forge or chat, or the folder with PostgreSQL's programs; empty if there is none."""
    told = os.environ.get(_SETTINGS[name], "")
    if name == "teamdb":
        return told or _installed_postgres()
    return f"{told.rstrip('/')}/bin/mattermost" if name == "chat" and told else told


def _installed_postgres() -> str:
    """The newest of Debian's, or the one on the path."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    found = str(places[-1]) if places else shutil.which("initdb")
    return str(Path(found).resolve().parent) if found else ""


def rows() -> Iterator[Row]:
    """Preflight of `local`: one row for each program that a setting names; nothing where none is set."""
    named = chosen("local", Path())
    for name in named:
        fit = os.access(program(name), os.X_OK)
        yield (
            REAL[name].lower(),
            fit,
            program(name) if fit else f"{program(name)} is no program",
            "" if fit else f"mend {_SETTINGS[name]}, or unset it for the stand-in",
        )
    if named:
        place = program("teamdb")
        fit = bool(place) and os.access(f"{place}/initdb", os.X_OK)
        fix = "" if fit else "Debian: apt-get install postgresql; or set AGENSH_POSTGRES to the folder of initdb"
        yield "postgresql", fit, place if fit else "initdb was not found", fix
        if os.geteuid() == 0:
            there = bool(shutil.which("unshare"))
            yield (
                "no root",
                there,
                "real services run in a user namespace" if there else "unshare is missing",
                "" if there else "Debian: apt-get install util-linux",
            )

"""Run folders that may go: of runs long over. What pages show is in the database; the team's work is kept as `submission.tar.gz`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from runs.folder import RunFolder
from runs.models import Run, Status

_AGE = re.compile(r"(\d{1,5})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
FINAL = (Status.ENDED, Status.CANCELLED, Status.FAILED)


@dataclass(frozen=True, slots=True)
class Prunable:
    """A run that is over, what of its folder may go, and how many bytes that is."""

    run: Run
    paths: tuple[Path, ...]
    size: int


def age(text: str) -> timedelta:
    """`30d`, `12h` or `45m`. Raises ValueError."""
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:20]!r} is no age; write it as 30d, 12h or 45m")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def prunable(older: timedelta) -> Iterator[Prunable]:
    """Runs that ended longer ago than `older` and still have more than their submission in their folder; oldest first."""
    before = timezone.now() - older
    for run in Run.objects.filter(status__in=FINAL, ended_at__lt=before).order_by("ended_at"):
        folder = RunFolder.of(run.slug)
        if folder.path.is_dir() and not folder.path.is_symlink():
            paths = tuple(sorted(path for path in folder.path.iterdir() if path != folder.submission))
            if paths:
                yield Prunable(run, paths, sum(map(_size, paths)))


def prune(found: Prunable) -> None:
    """Remove it. Links are removed and never followed. Raises OSError where files belong to somebody else."""
    for path in found.paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _size(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(each.lstat().st_size for each in path.rglob("*"))

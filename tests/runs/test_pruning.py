"""Folders of runs long over are removed, all but the team's work; nothing else is touched."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from runs.folder import RunFolder
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def ended(slug: str, days: float, status: str = "ended") -> RunFolder:
    """A run that ended so many days ago, with something in its folder."""
    Run.objects.create(slug=slug, name=slug, status=status, ended_at=timezone.now() - timedelta(days=days))
    folder = RunFolder.of(slug)
    folder.mirror.mkdir(parents=True)
    (folder.mirror / "HEAD").write_text("x" * 1_000_000)
    folder.submission.write_text("work")
    return folder


def pruned(*words: str) -> str:
    out = StringIO()
    call_command("prune_runs", *words, stdout=out)
    return out.getvalue()


def test_only_runs_long_over_lose_their_folder_and_never_their_work(data: Path) -> None:
    old, fresh, going = ended("old", 40), ended("fresh", 2), ended("going", 40, "running")
    outside = data / "outside"
    outside.mkdir()
    (outside / "kept").write_text("")
    (old.path / "link").symlink_to(outside)
    assert "old: 1.0 MB" in pruned("--older-than", "30d", "--dry-run")
    assert old.mirror.exists()
    assert "1.0 MB freed by 1 run\n" in pruned("--older-than", "30d")
    assert [path.name for path in old.path.iterdir()] == ["submission.tar.gz"]
    assert (outside / "kept").exists()
    assert fresh.mirror.exists() and going.mirror.exists()
    assert Run.objects.count() == 3
    assert "0.0 MB freed by 0 runs" in pruned("--older-than", "30d")


@pytest.mark.parametrize("age", ["30", "d", "1.5d", "1w", "30d; rm", ""])
def test_an_age_that_is_none_is_refused(age: str) -> None:
    with pytest.raises(CommandError, match=r"--older-than: .* is no age; write it as 30d"):
        pruned("--older-than", age)

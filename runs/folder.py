"""Where a run keeps its files: names of the run folder in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from runs.bootstrap.secrets import Secrets


@dataclass(frozen=True, slots=True)
class RunFolder:
    """`$AGENSH_DATA_DIR/runs/<slug>/`."""

    path: Path

    @classmethod
    def of(cls, slug: str) -> RunFolder:
        return cls(Path(settings.DATA_DIR) / "runs" / slug)

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.path / "secrets")

    @property
    def task(self) -> Path:
        """The public part of the task, as the workers see it."""
        return self.path / "task"

    @property
    def mirror(self) -> Path:
        """A bare copy of the repository: what checkpoints score and what is salvaged."""
        return self.path / "checkpoints" / "repository.git"

    @property
    def submission(self) -> Path:
        """What is left of the team's work, as one file; written when the run ends."""
        return self.path / "submission.tar.gz"

    def service(self, name: str) -> Path:
        return self.path / "services" / name

    def worker(self, name: str) -> Path:
        return self.path / "workers" / name

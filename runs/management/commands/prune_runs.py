"""`manage.py prune_runs --older-than 30d [--dry-run]`: remove the folders of runs long over."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from runs import pruning


class Command(BaseCommand):
    help = "Remove the run folders (logs, service data, worktrees) of runs long over. Pages, exports and submission.tar.gz stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--older-than", required=True, metavar="AGE", help="30d, 12h or 45m since the run's end")
        parser.add_argument("--dry-run", action="store_true", help="say what would go, remove nothing")

    def handle(self, *args: Any, older_than: str, dry_run: bool, **options: Any) -> None:
        try:
            older = pruning.age(older_than)
        except ValueError as problem:
            raise CommandError(f"--older-than: {problem}", returncode=2) from None
        count = total = 0
        for found in pruning.prunable(older):
            try:
                if not dry_run:
                    pruning.prune(found)
            except OSError as problem:
                self.stderr.write(f"{found.run.slug}: {problem.strerror} ({problem.filename}); remove it as its owner")
                continue
            count, total = count + 1, total + found.size
            self.stdout.write(
                f"{found.run.slug}: {found.size / 1e6:,.1f} MB, ended {found.run.ended_at:%Y-%m-%d %H:%M} UTC"
            )
        done = "would be freed by" if dry_run else "freed by"
        self.stdout.write(f"{total / 1e6:,.1f} MB {done} {count} run{'' if count == 1 else 's'}")

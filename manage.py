#!/usr/bin/env python
"""Django's command line for Agensh Web."""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agensh_web.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    from agensh_web.env import SettingError

    try:
        execute_from_command_line(sys.argv)
    except SettingError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    except OperationalError as problem:
        if os.environ.get("AGENSH_DEBUG"):
            raise
        why = str(problem).splitlines()[0]
        fix = "run manage.py migrate, or start the app once with manage.py up" if "no such table" in why else "check it"
        print(f"AGENSH_DATA_DIR or DATABASE_URL: the database cannot be used ({why}); {fix}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # `run_events RUN | head`: the reader has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()

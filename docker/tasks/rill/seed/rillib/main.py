"""Find the command, run it, turn its complaint into one line and exit code 2."""
from __future__ import annotations

import importlib
import os
import sys

from rillib import VERSION
from rillib.commands import COMMANDS
from rillib.options import Complaint


def usage():
    lines = ["usage: rill COMMAND [OPTIONS] [FILE...]", ""]
    lines += [f"  {name:<8}{help}" for name, (_, help) in sorted(COMMANDS.items())]
    return "\n".join(lines) + "\n"


def main(argv):
    if not argv or argv[0] in ("-h", "--help", "help"):
        sys.stdout.write(usage())
        return 0 if argv else 2
    if argv[0] == "--version":
        print(f"rill {VERSION}")
        return 0
    name, rest = argv[0], argv[1:]
    if name not in COMMANDS:
        sys.stderr.write(f"rill: no such command: {name}\n")
        return 2
    command = importlib.import_module(COMMANDS[name][0])
    try:
        command.run(rest)
        sys.stdout.flush()
    except Complaint as complaint:
        sys.stdout.flush()
        sys.stderr.write(f"rill {name}: {complaint}\n")
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0

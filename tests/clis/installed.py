"""Whether the CLIs are installed for tests: `tests/run.py` installs them, a missing one is a failure and never a silent skip."""

from __future__ import annotations

import pytest

from runs import clis


def needs(name: str) -> None:
    """Fail the test, with the command that mends it, where a harness cannot be started."""
    if fault := clis.fault(name):
        pytest.fail(f"{fault}: {clis.FIX}", pytrace=False)

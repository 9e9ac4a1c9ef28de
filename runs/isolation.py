"""How the workers of a run are kept apart from this machine, by harness: in the sandbox, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings

from runs.backends.sandbox import probe
from runs.harnesses import TRUSTED
from runs.spec import RunSpec

SANDBOX, NONE, OURS = "sandbox", "not isolated", "our own agent"


def isolation(spec: RunSpec) -> dict[str, str]:
    """A word for each harness, as a launch on this machine would have it now; containers isolate by themselves.

    What `mini` runs on the scripted model is ours, so it runs as this user; what another model makes it run is not.
    """
    if spec.backend != "local":
        return {name: "container" for name, _ in spec.harnesses}
    return {
        name: OURS if name in TRUSTED and spec.scripted else NONE if sandbox_fault() else SANDBOX
        for name, _ in spec.harnesses
    }


def sandbox_fault() -> str:
    """Why the sandbox does not work here; empty if it does."""
    return probe.fault(Path(settings.DATA_DIR))


def may_run_unsandboxed() -> bool:
    """Whether this machine's owner allows agents that nobody here wrote to run as they are."""
    return os.environ.get("AGENSH_ALLOW_UNSANDBOXED") == "1"

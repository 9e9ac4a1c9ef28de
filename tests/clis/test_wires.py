"""Copilot speaks two APIs, by the model's name: the same sentences hold on the other one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.clis.installed import needs
from tests.clis.namespace import nothing_but_loopback
from tests.clis.stack import running
from tests.clis.test_conformance import CONFORMS
from tests.clis.worker import work

pytestmark = pytest.mark.clis


def test_copilot_conforms_over_responses_too(tmp_path: Path) -> None:
    needs("copilot")
    with nothing_but_loopback(tmp_path / "outside.jsonl") as outside, running(tmp_path) as stack:
        told = replace(work("copilot", stack, model="gpt-5.6-sol"), outside=outside)
        assert {path for path, _ in stack.recorder.asked} == {"/v1/responses"}
        for check in CONFORMS:
            check(told)

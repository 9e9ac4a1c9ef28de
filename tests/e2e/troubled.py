"""A run of 1,025 workers in the middle of its trouble: something of every kind that can need a person, told with the pens of the stories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fixtures.manifests import write_manifest
from tests.stories.pens import Tale

WORKERS = 1_025
DEAD = range(101, 108)  # seven, so many that they become one line
SAID = {"jsonrpc": "2.0", "method": "session/update"}


def troubled_bundle(folder: Path) -> Path:
    """A folder that `import_run` takes; the run has not ended."""
    tale = _told()
    target = folder / "troubled"
    (target / "deliveries").mkdir(parents=True)
    for source in {where for where, _ in tale.paper.lines}:
        lines = [json.dumps(line) for where, line in tale.paper.lines if where == source]
        (target / "deliveries" / f"{source}.jsonl").write_text("\n".join(lines) + "\n")
    run = {
        "name": "In trouble",
        "slug": "troubled",
        "workers": WORKERS,
        "duration_s": 7_200,
        "model": "m",
        "task": "calc",
    }
    write_manifest(target, run, "2027-01-15T08:00:00.000Z", None, scripted=True)
    return target


def _told() -> Tale:
    tale = Tale("troubled", "", workers=WORKERS, claim_ttl_s=600)
    tale.at(5).claim(3, "CLAIM: lexer, src/lex.c", "lexer")
    tale.at(6).claim(8, "CLAIM: parser, src/parse.c", "parser")
    tale.at(7).claim(9, "CLAIM: emitter, src/emit.c", "emitter")
    tale.at(10)
    for turn in range(1, 4):
        tale.agent(
            4,
            {"kind": "turn.started", "turn": turn},
            {"kind": "turn.finished", "turn": turn, "stop_reason": None, "error": "429 from the model"},
        )
    tale.at(12).agent(5, {"kind": "nudge.sent"})
    for k in range(6):
        tale.at(20 + k).agent(6, _call(k), _failed(k), dir="from_agent")
    tale.at(40).run("worker.silent", worker=3, since="2027-01-15T08:00:30.000Z")
    tale.at(50).run("worker.exited", worker=8, life=1, code=137, signal=9, oom=True, expected=False)
    for worker in DEAD:
        tale.at(60 + worker % 10).run(
            "worker.exited", worker=worker, life=1, code=1, signal=None, oom=False, expected=False
        )
    tale.at(80).run("service.unhealthy", service="chat", code=None, log_tail="panic: <b>disk</b> full")
    tale.at(81).run("node.joined", node="node 03")
    tale.at(82).run("node.lost", node="node 03")
    pull = tale.at(100).pull(10, "sort: put lines in order")
    tale.at(120).review(11, pull, "approved", "good")
    tale.at(140).review(11, pull, "rejected", "counterexample: 1e5")
    tale.at(150).pull(12, "a pull that nobody looks at")
    for at in range(160, 1_300, 60):
        tale.at(at).run("run.ticked")
    return tale


def _call(k: int) -> dict[str, Any]:
    update = {
        "sessionUpdate": "tool_call",
        "toolCallId": f"c{k}",
        "title": "make test",
        "kind": "execute",
        "status": "pending",
    }
    return {**SAID, "params": {"sessionId": "s", "update": update}}


def _failed(k: int) -> dict[str, Any]:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": f"c{k}", "status": "failed"}
    return {**SAID, "params": {"sessionId": "s", "update": update}}

"""Runs at the edges: nothing recorded, one worker, names and texts longer than any page, in writings that run from right to left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fixtures.manifests import write_manifest
from tests.stories.pens import Tale

LONG = "supercalifragilistic_" * 14
ARABIC = "مراجعة المحلل اللغوي قبل الدمج، الملف src/lex.c لا يزال ناقصًا"
HEBREW = "בדיקת המנתח לפני המיזוג ‏(src/lex.c)‏"
CJK = "词法分析器还没有写完，请先不要合并。字句解析器を先に直してください。"
THAI = "ตัววิเคราะห์คำยังไม่เสร็จ โปรดอย่ารวมก่อน"
TEXTS = (LONG, ARABIC, HEBREW, CJK, THAI, "🧪" * 40, "a" * 100, "-" * 100)


def empty(folder: Path) -> Path:
    """A run that started and saw nothing."""
    return _written(folder, "empty", Tale("empty", "", workers=0), {"workers": 0})


def alone(folder: Path) -> Path:
    """One worker, which claims, opens a pull and merges it itself."""
    tale = Tale("alone", "", workers=1)
    note = tale.at(5).claim(1, "CLAIM: everything", "all")
    pull = tale.at(20).pull(1, "everything", f"Claim: n{note}")
    tale.at(30).merge(1, pull)
    tale.at(60).run("worker.exited", worker=1, life=1, code=0, signal=None, oom=False, expected=True)
    tale.run("run.ended", outcome="ended", reason="")
    return _written(folder, "alone", tale, {"workers": 1, "peers": False})


def long(folder: Path) -> Path:
    """Two workers that write at length, from right to left and without blanks; names as long as they may be."""
    tale = Tale("long", "", workers=2)
    for k, text in enumerate(TEXTS):
        tale.at(10 + 60 * k)
        note = tale.claim(1 + k % 2, text[:100], None)
        tale.direct(1 + k % 2, 2 - k % 2, text * 3)
        tale.say(2 - k % 2, text * 2)
        pull = tale.at(20 + 60 * k).pull(
            1 + k % 2, text, f"Claim: n{note}\n{text * 4}", f"w{1 + k % 2:04d}/{'x' * 90}-{k}"
        )
        tale.at(30 + 60 * k).review(2 - k % 2, pull, "approved", text)
        tale.at(35 + 60 * k).review(2 - k % 2, pull, "rejected", text * 2)
        if k % 2:
            tale.at(40 + 60 * k).merge(2 - k % 2, pull)
        else:
            tale.at(40 + 60 * k).fail(1 + k % 2, text[:100])
    about = {"workers": 2, "name": ARABIC + LONG[:50], "task": LONG[:80], "model": LONG, "group": HEBREW}
    return _written(folder, "long", tale, about)


def _written(folder: Path, name: str, tale: Tale, run: dict[str, Any]) -> Path:
    target = folder / name
    (target / "deliveries").mkdir(parents=True)
    for source in {where for where, _ in tale.paper.lines}:
        lines = [json.dumps(line) for where, line in tale.paper.lines if where == source]
        (target / "deliveries" / f"{source}.jsonl").write_text("\n".join(lines) + "\n")
    spec = {"name": name.title(), "slug": name, "duration_s": 600, "model": "m", "task": "calc", **run}
    write_manifest(target, spec, "2027-01-15T08:00:00.000Z", "2027-01-15T08:09:00.000Z", scripted=True)
    return target

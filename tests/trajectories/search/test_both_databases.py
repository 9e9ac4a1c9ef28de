"""The same rows whatever the database: what is found is what a plain look through every text finds. CI runs this on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from runs.models import Run
from tests.e2e.hostile import STRINGS
from tests.trajectories.search.test_runs import T0, hits, note
from tests.trajectories.told import new_run, run_event
from trajectories import indexes
from trajectories.ingest.store import store
from trajectories.models import Stream
from trajectories.search import indexing, terms
from trajectories.search.folding import composed, fold

pytestmark = pytest.mark.django_db
TEXTS = [
    *STRINGS,
    *(
        "100 % done_now",
        "a\\b\\\\c",
        "it's; DROP TABLE runs_run; --",
        "tabs\tand\r\nlines",
        "ÀÉÎÕÜ ñ ß ſ ı İ",
        "e\u0301te\u0301",
    ),
    *(
        "المحلل اللغوي لا يزال ناقصًا",
        "הבודק לא מוכן",
        "词法分析器还没有写完",
        "字句解析器を直す",
        "ｶﾀｶﾅ と カタカナ",
        "구문 분석기",
    ),
    *(
        "ตัววิเคราะห์คำยังไม่เสร็จ",
        "हिन्दी विश्लेषक",
        "👩‍👩‍👧‍👦 family 🇩🇪",
        "ⅷ ﬁne ①",
        "Ω Ω",
        "a" * 3_900 + "needle",
        "\ud800 half",
    ),
]
QUERIES = [
    *(
        "xss",
        "script",
        "<img",
        '"><',
        "%",
        "100 %",
        "_now",
        "\\",
        "a\\b",
        "it's",
        "DROP TABLE",
        "ete",
        "été",
        "ß",
        "ss",
    ),
    *(
        "اللغوي",
        "لغو",
        "הבודק",
        "בוד",
        "分析",
        "器",
        "解析器",
        "カタ",
        "분석",
        "วิเคราะห์",
        "คำ",
        "विश्ले",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
    ),
    *(
        "viii",
        "fine",
        "1",
        "ω",
        "needle",
        "aaa",
        '"and lines"',
        "lines -tabs",
        "zzz",
        "' OR '1'='1",
        "gnp.exe",
        "constructor",
    ),
]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(indexing, "SIZE", 16)
    found = new_run("team")
    store(found.pk, "run", [run_event(1, "run.started", T0)])
    Stream.objects.filter(run=found).update(t0=T0)
    for n, text in enumerate(TEXTS, 1):
        note(found, n, 1, text)
    return found


@pytest.mark.parametrize("sealed", [False, True])
def test_what_is_found_is_what_a_plain_look_finds(run: Run, sealed: bool) -> None:
    if sealed:
        indexes.finish(run.pk)
    shown = [fold(composed(f"FACT\n{text}".replace("\x00", "\u2400"))) for text in TEXTS]
    some = 0
    for words in QUERIES:
        wanted = terms(words)
        plain = [n for n, text in enumerate(shown, 1) if all(term.is_in(text) != term.absent for term in wanted)]
        found = sorted(round(hit["t"]) for hit in hits(run, words, 100))
        assert found == plain, words
        some += bool(plain)
    assert some > len(QUERIES) * 2 // 3

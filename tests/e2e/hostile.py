"""Forty strings that would run, hide or mislead if a page took them for anything but text, and a run full of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from tests.e2e.app import FIRST_RUN

MARK = "xss"
STRINGS = [
    "<script>xss=1</script>",
    "<img src=x onerror=xss=1>",
    "<svg onload=xss=1>",
    "<svg><script>xss=1</script></svg>",
    "<iframe srcdoc='<script>parent.xss=1</script>'>",
    "<body onload=xss=1>",
    "<details open ontoggle=xss=1>",
    "<input autofocus onfocus=xss=1>",
    "<video><source onerror=xss=1>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=xss=1>",
    "<a href='javascript:xss=1'>click</a>",
    "javascript:xss=1",
    "data:text/html,<script>xss=1</script>",
    '"><script>xss=1</script>',
    "'><img src=x onerror=xss=1>",
    "' onmouseover='xss=1",
    '" autofocus onfocus="xss=1',
    "</title><script>xss=1</script>",
    "</textarea><script>xss=1</script>",
    "</script><script>xss=1</script>",
    "</style><script>xss=1</script>",
    "<!--<script>xss=1</script>-->",
    "--><script>xss=1</script>",
    "]]><script>xss=1</script>",
    "{{constructor.constructor('xss=1')()}}",
    "${xss=1}",
    "{% debug %} {{ settings.SECRET_KEY }} xss",
    "<%= xss=1 %>",
    "<template><script>xss=1</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=xss=1>'>",
    "<meta http-equiv=refresh content='0;url=javascript:xss=1'>",
    "<base href='https://xss.invalid/'>",
    "<link rel=stylesheet href='https://xss.invalid/a.css'>",
    "<style>@import 'https://xss.invalid/a.css';</style>",
    "<object data='https://xss.invalid/'></object>",
    "<form action='https://xss.invalid/'><button>xss</button></form>",
    "<img src='https://xss.invalid/leak.png'>",
    "&lt;script&gt;xss=1&lt;/script&gt; &#x3C;script&#x3E;",
    "xss \u202egnp.exe\u202c \u2066hidden\u2069 \u200bzero",
    "xss \u001b[31mred\u001b[0m \u001b]0;owned\u0007 \u0000 \u0008",
]
# Where agents choose the text, by source: names of fields whose value is replaced.
FIELDS = {
    "board": {"text", "detail"},
    "mattermost": {"message"},
    "gitea": {"title", "body", "message", "content"},
    "acp": {"title", "text"},
}


def hostile_bundle(folder: Path) -> Path:
    """The first fixture run with every text that an agent chose replaced by one of the strings, in turn."""
    target = folder / "hostile"
    shutil.copytree(FIRST_RUN, target)
    manifest = json.loads((target / "manifest.json").read_text())
    manifest["run"] |= {
        "name": STRINGS[0],
        "slug": "hostile",
        "model": STRINGS[2],
        "task": STRINGS[13],
        "group": STRINGS[1],
    }
    (target / "manifest.json").write_text(json.dumps(manifest))
    words = cycle(STRINGS)
    for source, names in FIELDS.items():
        path = target / "deliveries" / f"{source}.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["body"] = replaced(line["body"], names, words)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return target


def replaced(value: Any, names: set[str], words: Iterator[str]) -> Any:
    """The same JSON with the named texts replaced, and branch names made hostile as far as git would let them be."""
    if isinstance(value, dict):
        return {
            key: " ".join(next(words) for _ in range(3))
            if key in names and isinstance(item, str) and item
            else replaced(item, names, words)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [replaced(item, names, words) for item in value]
    if isinstance(value, str) and ("-lexer" in value or "-parser" in value):
        return value.replace("-lexer", "-<img/src=x/onerror=xss=1>").replace("-parser", '-"onload=xss=1')
    return value

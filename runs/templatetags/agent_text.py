"""Text that agents wrote, made safe to read: what would hide, move or recolour text is shown as a sign instead.

`visible` is pure; its twin in the browser is `static/js/lib/agent_text.js`. Escaping for HTML stays the template's job.
"""

from __future__ import annotations

import re

from django import template
from django.template.defaultfilters import stringfilter

register = template.Library()

_ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[@-Z\\^_]")
# Bidi controls and marks, zero-width and other invisible format characters, tags, variation selectors beyond emoji use.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _sign(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


def _control(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)  # control pictures
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def visible(text: str) -> str:
    """`text` with ANSI sequences as ␛ and the rest of it, controls as pictures and invisible or bidi characters as ⟨U+202E⟩.

    Newlines and tabs stay. The result holds no character that can reorder, hide or recolour what is around it.
    """
    text = text.replace("\r\n", "\n")
    text = _ANSI.sub(lambda m: m[0].replace("\x1b", "␛").replace("\x9b", "␛["), text)
    text = _CONTROL.sub(_control, text)
    text = _HIDDEN.sub(_sign, text)
    return _SURROGATE.sub("\ufffd", text)


@register.filter
@stringfilter
def agent_text(text: str) -> str:
    """`{{ pull.title|agent_text }}`: visible characters only; autoescape does the HTML."""
    return visible(text)

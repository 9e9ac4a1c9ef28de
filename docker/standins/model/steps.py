"""What passes between the script and a conversation: the script asks for calls, the conversation holds their results."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

EXIT = re.compile(r"\[exit (\d+)\]")
CLOCK = re.compile(r"\[now (\S+)\]")


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call by its plain name (`shell`, `board_read`, ..), and the words said with it."""

    tool: str
    arguments: dict[str, Any]
    say: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered: its text and, where that is JSON, the data. An inbox that came along is apart."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    inbox: tuple[dict[str, Any], ...] = ()

    @property
    def error(self) -> str:
        return str(self.data.get("error") or "")

    @property
    def output(self) -> str:
        """What a shell command printed, whatever wrapping the harness put around it."""
        output = self.data.get("output")
        return output if isinstance(output, str) else self.text

    @property
    def ok(self) -> bool:
        """Whether a shell command of ours succeeded: it prints its own exit code last."""
        codes = EXIT.findall(self.output)
        return bool(codes) and codes[-1] == "0"


Script = Generator[Call, Result, str]


def read_result(text: str) -> Result:
    """Take a tool result apart: JSON objects one after another, the one with an `inbox` set aside."""
    data: dict[str, Any] = {}
    inbox: list[dict[str, Any]] = []
    for found in objects(text):
        if isinstance(found.get("inbox"), list):
            inbox += [item for item in found["inbox"] if isinstance(item, dict)]
        elif not data:
            data = found
    return Result(text, data, tuple(inbox))


def objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand at the start of a text or of one of its lines."""
    found, decoder, at = [], json.JSONDecoder(), 0
    while (at := text.find("{", at)) >= 0:
        if at and text[at - 1] not in "\n }":
            at += 1
            continue
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError:
            at += 1
            continue
        if isinstance(value, dict):
            found.append(value)
    return found

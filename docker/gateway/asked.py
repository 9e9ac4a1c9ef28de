"""A worker's request: read as far as the gateway must, changed only at the top level, the rest passed on byte by byte. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gateway.usage import CHAT, MESSAGES

Raw = msgspec.Raw
PURPOSES = ("work", "side", "compaction")

#: Words of the harnesses' own requests for a summary, looked for in the last message only.
_SUMMARY = re.compile(
    rb"respond with text only|context checkpoint compaction|create a detailed summary of the conversation", re.I
)
_TAIL = 20_000

#: Fields an endpoint may refuse without harm to the answer: only these are ever left out because it said so.
STRIPPABLE = frozenset(
    [
        "reasoning_effort",
        "reasoning",
        "stream_options",
        "parallel_tool_calls",
        "store",
        "prompt_cache_key",
        "prompt_cache_retention",
        "include",
        "service_tier",
        "metadata",
        "thinking",
        "output_config",
        "context_management",
        "temperature",
        "top_p",
        "user",
        "safety_identifier",
        "verbosity",
        "max_tokens",
        "max_completion_tokens",
        "max_output_tokens",
        "truncation",
        "client_metadata",
        "betas",
    ]
)


class BadRequest(ValueError):
    """Not a request of this API; the message says why."""


@dataclass(slots=True)
class Asked:
    """One request. `body()` is what goes to the model."""

    api: str
    model: str
    streamed: bool
    purpose: str
    fields: dict[str, Raw]
    hides_usage: bool = False  # the gateway asked for usage, the worker did not: the extra chunk is taken out again
    stripped: set[str] = field(default_factory=set)

    def body(self) -> bytes:
        """The request as JSON."""
        return msgspec.json.encode(self.fields)

    def strip(self, names: Iterable[str]) -> None:
        """Leave fields out: `name`, or `name.part` for a part of one."""
        for name in names:
            outer, _, inner = name.partition(".")
            if outer not in self.fields:
                continue
            if not inner:
                del self.fields[outer]
                self.hides_usage = self.hides_usage and outer != "stream_options"
            else:
                held = _decode(self.fields[outer], Any)
                if not isinstance(held, dict) or inner not in held:
                    continue
                del held[inner]
                self.fields[outer] = Raw(msgspec.json.encode(held))
            self.stripped.add(name)

    def rename(self, old: str, new: str) -> None:
        """Say a field by its other name."""
        if old in self.fields:
            self.fields[new] = self.fields.pop(old)
            self.stripped.add(old)


def read(api: str, body: bytes, model: str, other_models: bool, purpose: str = "") -> Asked:
    """The request for the run's model, asking for usage. Raises BadRequest."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise BadRequest(f"the body is no JSON object: {fault}") from None
    named = _decode(fields.get("model"), Any)
    if not (other_models and isinstance(named, str) and named):
        named = model
        fields["model"] = Raw(msgspec.json.encode(model))
    streamed = _decode(fields.get("stream"), Any) is True
    asked = Asked(api, named[:300], streamed, purpose if purpose in PURPOSES else _purpose(api, fields), fields)
    if api == CHAT and streamed:
        options = _decode(fields.get("stream_options"), Any)
        options = options if isinstance(options, dict) else {}
        if options.get("include_usage") is not True:
            fields["stream_options"] = Raw(msgspec.json.encode({**options, "include_usage": True}))
            asked.hides_usage = True
    return asked


def refused_field(asked: Asked, told: bytes) -> str | None:
    """The field that an endpoint's 400 names as its fault, if the request holds it and can do without."""
    text = told[:4000].decode("utf-8", "replace")
    named = re.search(r'"param"\s*:\s*"([\w.]{1,80})"', text)
    words = [named[1]] if named else []
    words += re.findall(r"['\"`]([a-z_]+(?:\.[a-z_]+)?)['\"`]", text)
    words += [name for name in STRIPPABLE if re.search(rf"\b{name}\b", text)]
    for word in words:
        outer = word.split(".")[0]
        if outer in STRIPPABLE and outer in asked.fields and word not in asked.stripped:
            return word
    return None


def other_name(field_name: str, told: bytes) -> str | None:
    """`Use 'max_completion_tokens' instead`: the name an endpoint wants for a limit on tokens."""
    found = re.search(rb"[Uu]se ['\"`](max_(?:completion_|output_)?tokens)['\"`] instead", told[:4000])
    return found[1].decode() if found and field_name.startswith("max_") else None


def _purpose(api: str, fields: dict[str, Raw]) -> str:
    """work; side = titles, classifiers and the like: no tools, or a schema; compaction = a summary of the conversation."""
    tools = _decode(fields.get("tools"), list[Raw])
    choice = _decode(fields.get("tool_choice"), Any)
    kept_from_tools = choice == "none" or (isinstance(choice, dict) and choice.get("type") == "none")
    messages = _decode(fields.get("input" if "input" in fields else "messages"), list[Raw])
    last = bytes(messages[-1])[-_TAIL:] if messages else b""
    if (tools and kept_from_tools) or _SUMMARY.search(last):
        return "compaction"
    return "side" if not tools or _wants_schema(api, fields) else "work"


def _wants_schema(api: str, fields: dict[str, Raw]) -> bool:
    name = "output_config" if api == MESSAGES else "response_format" if api == CHAT else "text"
    held = _decode(fields.get(name), Any)
    if not isinstance(held, dict):
        return False
    form = held if api == CHAT else held.get("format")
    return isinstance(form, dict) and form.get("type") in ("json_schema", "json_object")


def _decode(raw: Raw | None, kind: Any) -> Any:
    """The value, or None where it is absent or of another kind."""
    try:
        return None if raw is None else msgspec.json.decode(raw, type=kind)
    except msgspec.DecodeError:
        return None

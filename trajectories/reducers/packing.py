"""Private indexes as JSON and back: dicts with any scalar or tuple keys, tuples, nested."""

from __future__ import annotations

from typing import Any


def pack(value: Any) -> Any:
    """JSON values; a dict whose keys are not all strings and a tuple are tagged lists."""
    if isinstance(value, dict):
        if all(type(key) is str for key in value) and "~" not in value:
            return {key: pack(item) for key, item in value.items()}
        return {"~": [[pack(key), pack(item)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"~": "tuple", "items": [pack(item) for item in value]}
    if isinstance(value, list):
        return [pack(item) for item in value]
    return value


def unpack(value: Any) -> Any:
    """What was packed."""
    if isinstance(value, dict):
        tag = value.get("~")
        if tag == "tuple":
            return tuple(unpack(item) for item in value["items"])
        if isinstance(tag, list):
            return {unpack(key): unpack(item) for key, item in tag}
        return {key: unpack(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unpack(item) for item in value]
    return value

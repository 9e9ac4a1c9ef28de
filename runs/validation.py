"""The one reading and checking of a RunSpec, shared by form, API and `launch_run`. Errors name the field and the fix. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from runs.spec import EFFORTS, MAX_WORKERS, PERMISSIONS, SCRIPTED, Known, RunSpec, SpecError

_DURATION = re.compile(r"(\d{1,12})\s*(s|m|min|h|d)?", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}


def seconds(value: Any) -> int:
    """Whole seconds of `90`, `"90"`, `"90s"`, `"45m"`, `"6h"`. Raises ValueError."""
    if isinstance(value, bool) or value is None:
        raise ValueError("not a time")
    if isinstance(value, int):
        return value
    found = _DURATION.fullmatch(str(value).strip().lower())
    if not found:
        raise ValueError("not a time")
    return int(found[1]) * _SECONDS[found[2] or ""]


def microdollars(dollars: str) -> str:
    """`$1,250.50` as micro-dollars; what is no amount stays as typed, for `parse_spec` to refuse."""
    try:
        return str(int(Decimal(dollars.replace(",", "").replace("$", "").strip()) * 1_000_000))
    except (ArithmeticError, ValueError):
        return dollars


_RANGES: dict[str, tuple[int, int, str]] = {
    "workers": (1, MAX_WORKERS, "workers"),
    "duration_s": (30, 7 * 86_400, "seconds"),
    "input_tokens": (1_000, 10_000_000, "tokens"),
    "output_tokens": (256, 10_000_000, "tokens"),
    "memory_gib": (1, 1_024, "GiB"),
    "checkpoint_s": (10, 86_400, "seconds"),
    "claim_ttl_s": (10, 86_400, "seconds"),
    "ramp_gate": (1, MAX_WORKERS, "workers"),
    "ramp_s": (0, 3_600, "seconds"),
    "ramp_late_s": (0, 3_600, "seconds"),
    "idle_limit_s": (5, 86_400, "seconds"),
    "nodes": (1, 64, "nodes"),
    "seed": (0, 2**53, ""),
    "budget_microusd": (0, 10**12, "micro-dollars"),
    "budget_tokens": (0, 10**13, "tokens"),
    "requests_at_once": (0, 65_536, "requests"),
}
_TEXTS = {
    "name": 120,
    "task": 80,
    "preset": 40,
    "model": 120,
    "endpoint": 300,
    "effort": 10,
    "permissions": 10,
    "backend": 20,
    "group": 80,
}
_FLAGS = ("peers", "ends_early")


def parse_spec(raw: Mapping[str, Any], base: RunSpec | None = None) -> RunSpec:
    """A RunSpec from a form, JSON or a command line, upon `base`. Values may be text. Raises SpecError for form faults."""
    errors: dict[str, str] = {}
    found: dict[str, Any] = {}
    known = {f.name for f in fields(RunSpec)}
    for key, value in raw.items():
        if key not in known:
            errors[key] = f"is not a field of a run; known are {', '.join(sorted(known))}"
            continue
        try:
            found[key] = _read(key, value)
        except (ValueError, TypeError, KeyError, OverflowError) as problem:
            errors[key] = f"{problem}" if isinstance(problem, _Fault) else _wants(key)
    if errors:
        raise SpecError(errors)
    spec = replace(base or RunSpec(), **found)
    if len(spec.harnesses) == 1 and ("harnesses" not in found or spec.harnesses[0][1] == 0):
        spec = replace(spec, harnesses=((spec.harnesses[0][0], spec.workers),))
    return spec


def check_spec(spec: RunSpec, known: Known) -> None:
    """Raise SpecError for every value out of range, every unknown name and every combination that cannot run."""
    errors: dict[str, str] = {}
    for key, (low, high, unit) in _RANGES.items():
        if not low <= getattr(spec, key) <= high:
            errors[key] = f"is {getattr(spec, key)}; it must be from {low} to {high} {unit}".rstrip()
    choices = (("task", known.tasks), ("backend", known.backends), ("effort", EFFORTS), ("permissions", PERMISSIONS))
    for key, names in choices:
        if getattr(spec, key) not in names:
            errors[key] = f"is {getattr(spec, key)!r}; choose one of {', '.join(names) or '(none installed)'}"
    if not spec.name:
        errors["name"] = "is empty; give the run a name"
    errors.update(_harness_faults(spec, known))
    errors.update(_time_faults(spec))
    if not spec.model:
        errors["model"] = f"is empty; name a model, or {SCRIPTED} for the offline one"
    if spec.scripted and spec.endpoint:
        errors["endpoint"] = "is not used by the scripted model; leave it empty"
    if not spec.scripted and spec.endpoint not in known.endpoints:
        errors.update(endpoint_faults(spec.endpoint))
    if not spec.peers and spec.workers != 1:
        errors["workers"] = f"is {spec.workers}; a baseline without peers has exactly 1"
    if errors:
        raise SpecError(errors)


def endpoint_faults(endpoint: str) -> dict[str, str]:
    """The spec is shown to every viewer and leaves with the bundle, so an address may hold no secret."""
    try:
        parts = urlsplit(endpoint)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket or a port that is none
        sound = False
    if not sound:
        wanted = "must be the http(s) base of an OpenAI-compatible API, for example http://127.0.0.1:8080/v1"
        return {"endpoint": wanted}
    if "@" in parts.netloc or parts.query or parts.fragment:
        return {"endpoint": "holds a user, password or query, which every viewer would see; give scheme, host and path"}
    return {}


def _harness_faults(spec: RunSpec, known: Known) -> dict[str, str]:
    strange = [name for name, _ in spec.harnesses if name not in known.harnesses]
    if strange:
        return {"harnesses": f"{', '.join(strange)} is not installed; choose from {', '.join(known.harnesses)}"}
    if any(count < 1 for _, count in spec.harnesses):
        return {"harnesses": "every harness needs a count of at least 1, for example mini:8"}
    total = sum(count for _, count in spec.harnesses)
    if total != spec.workers:
        return {"harnesses": f"counts add up to {total}; workers is {spec.workers}: make them equal"}
    return {}


def _time_faults(spec: RunSpec) -> dict[str, str]:
    faults: dict[str, str] = {}
    if any(not 0 < r < spec.duration_s for r in spec.reminders_s) and spec.reminders_s:
        faults["reminders_s"] = f"must lie within the run: each more than 0 and less than {spec.duration_s} seconds"
    if spec.checkpoint_s > spec.duration_s:
        faults["checkpoint_s"] = f"is longer than the run ({spec.duration_s} seconds); make it shorter"
    if 1 <= spec.workers <= MAX_WORKERS and spec.joins_at(spec.workers) >= spec.duration_s:
        faults["ramp_s"] = (
            f"the last worker would join after {spec.joins_at(spec.workers)} seconds, when the run of "
            f"{spec.duration_s} is over; shorten the ramp or lengthen duration_s"
        )
    if spec.nodes != 1 and spec.backend == "local":
        faults["nodes"] = "local runs have one node; set 1"
    return faults


class _Fault(ValueError):
    """A reader's own sentence."""


def _wants(key: str) -> str:
    if key in _RANGES and key != "budget_microusd":
        low, high, unit = _RANGES[key]
        return f"must be a whole number{f' of {unit}' if unit else ''} from {low} to {high}"
    return {
        "reminders_s": "must be seconds before the deadline, for example 2700,300",
        "budget_microusd": "must be an amount: whole micro-dollars; on the form and the command line dollars, such as 25.50",
        "harnesses": "must be NAME[:COUNT], separated by commas, for example mini:8",
    }.get(key, "must be true or false" if key in _FLAGS else "must be text")


def _read(key: str, value: Any) -> Any:
    if key == "harnesses":
        return _harnesses(value)
    if key == "reminders_s":
        parts = value if isinstance(value, (list, tuple)) else [p for p in str(value).split(",") if p.strip()]
        return tuple(sorted({seconds(p) for p in parts}, reverse=True))
    if key in _FLAGS:
        if isinstance(value, bool):
            return value
        return {"true": True, "on": True, "1": True, "false": False, "": False, "0": False, "off": False}[
            str(value).lower()
        ]
    if key in _RANGES:
        number = seconds(value) if key.endswith("_s") else int(str(value).replace("_", "").strip())
        if isinstance(value, (bool, float)):
            raise TypeError
        return number
    if not isinstance(value, str):
        raise TypeError
    text = value.strip()
    if len(text) > _TEXTS[key]:
        raise _Fault(f"is {len(text)} characters; at most {_TEXTS[key]} are allowed")
    if any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in text):
        raise _Fault("holds control characters; use plain text")
    return text


def _harnesses(value: Any) -> tuple[tuple[str, int], ...]:
    if isinstance(value, Mapping):
        pairs = [(str(k), int(v)) for k, v in value.items()]
    elif isinstance(value, (list, tuple)):
        pairs = [(str(k), int(v)) for k, v in value]
    else:
        pairs = []
        for part in filter(None, (p.strip() for p in str(value).split(","))):
            name, _, count = part.partition(":")
            pairs.append((name.strip(), int(count) if count else 0))
    if not pairs or len({name for name, _ in pairs}) < len(pairs):
        raise _Fault("name each harness once, as NAME[:COUNT], separated by commas")
    return tuple(pairs)

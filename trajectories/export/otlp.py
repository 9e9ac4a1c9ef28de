"""Traces as OTLP JSON with the GenAI semantic conventions: one `ExportTraceServiceRequest` a line (OTLP file format), spans of one batch in each.

A turn is a trace: its span is `invoke_agent`, with `execute_tool` for each step and `chat` for each model request below it. Marks are events
of the turn they fell into. Ids are hashes of evidence references, so a second export of the same run is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from runs.models import Run
from trajectories.export.filters import Filters
from trajectories.export.spans import Mark, Span, spans
from trajectories.newest import newest

BATCH = 500
MOST_EVENTS = 200  # of one turn; further marks are counted as dropped
INTERNAL, CLIENT = 1, 3
OK, ERROR = 1, 2
PROVIDER = "agensh.gateway"
SCOPE = {"name": "agensh-web.trajectories", "version": "1"}


def as_otlp(run: Run, filters: Filters) -> Iterator[bytes]:
    """The file in pieces of whole lines."""
    names = {worker: str(row.get("name") or worker) for worker, row in newest(run).tables["workers"].items()}
    marks: dict[str, list[Mark]] = {}
    batch: list[Span] = []
    made: list[dict[str, Any]] = []
    for each in spans(run, filters):
        if isinstance(each, Mark):
            if each.turn is not None:
                marks.setdefault(each.turn, []).append(each)
            continue
        batch.append(each)
        made.append(_span(run, each, names, marks.pop(each.ref, []) if each.what == "turn" else []))
        if len(batch) >= BATCH:
            yield _line(run, batch, made, names)
            batch, made = [], []
    if batch:
        yield _line(run, batch, made, names)


def _line(run: Run, batch: list[Span], made: list[dict[str, Any]], names: Mapping[int, str]) -> bytes:
    of_worker: dict[int, list[dict[str, Any]]] = {}
    for span, record in zip(batch, made, strict=True):
        of_worker.setdefault(span.worker, []).append(record)
    resources = []
    for worker, records in of_worker.items():
        about = {
            "service.name": "agensh-worker",
            "service.namespace": run.slug,
            "service.instance.id": names.get(worker, str(worker)),
            "agensh.run": run.slug,
            "agensh.run.origin": run.origin,
            "agensh.run.scripted_model": run.scripted,
        }
        scopes = [{"scope": SCOPE, "spans": records}]
        resources.append({"resource": {"attributes": _attributes(about)}, "scopeSpans": scopes})
    return orjson.dumps({"resourceSpans": resources}) + b"\n"


def _span(run: Run, span: Span, names: Mapping[int, str], marks: list[Mark]) -> dict[str, Any]:
    root = span.turn or span.ref
    made: dict[str, Any] = {
        "traceId": _id(run, root, 16),
        "spanId": _id(run, span.ref, 8),
        "name": _name(span, names),
        "kind": CLIENT if span.what == "request" else INTERNAL,
        "startTimeUnixNano": str(span.begin * 1_000_000),
        "endTimeUnixNano": str(span.end * 1_000_000),
        "attributes": _attributes(_facts(run, span, names)),
        "status": {"code": ERROR, "message": str(span.fields.get("error") or span.fields.get("status") or "failed")}
        if span.failed
        else {"code": OK},
    }
    if span.turn is not None:
        made["parentSpanId"] = _id(run, span.turn, 8)
    if marks:
        made["events"] = [_event(mark) for mark in marks[:MOST_EVENTS]]
        made["droppedEventsCount"] = max(0, len(marks) - MOST_EVENTS)
    return made


def _name(span: Span, names: Mapping[int, str]) -> str:
    if span.what == "turn":
        return f"invoke_agent {names.get(span.worker, span.worker)}"
    return f"execute_tool {span.name}" if span.what == "step" else f"chat {span.fields.get('model') or 'unknown'}"


def _facts(run: Run, span: Span, names: Mapping[int, str]) -> dict[str, Any]:
    fields = span.fields
    facts: dict[str, Any] = {"agensh.worker": span.worker, "agensh.evidence": span.ref}
    if span.unfinished:
        facts["agensh.unfinished"] = True
    if span.what == "turn":
        facts |= {"gen_ai.operation.name": "invoke_agent", "gen_ai.provider.name": PROVIDER}
        facts |= {
            "gen_ai.agent.name": names.get(span.worker, str(span.worker)),
            "gen_ai.agent.id": f"{run.slug}/{span.worker}",
        }
        facts |= {
            "gen_ai.request.model": run.spec.get("model"),
            "agensh.turn": fields.get("turn"),
            "agensh.trigger": fields.get("trigger"),
        }
        facts["gen_ai.response.finish_reasons"] = [fields["stop_reason"]] if fields.get("stop_reason") else None
    elif span.what == "step":
        facts |= {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": span.name,
            "gen_ai.tool.type": "function",
        }
        facts |= {
            "gen_ai.tool.call.id": span.ref,
            "gen_ai.tool.description": fields.get("title"),
            "agensh.exit_code": fields.get("exit_code"),
        }
    else:
        facts |= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDER,
            "gen_ai.request.model": fields.get("model"),
        }
        facts |= {f"gen_ai.usage.{name}": fields.get(name) for name in ("input_tokens", "output_tokens")}
        facts["gen_ai.usage.cache_read.input_tokens"] = fields.get("cached_tokens")
        facts["gen_ai.usage.reasoning.output_tokens"] = fields.get("reasoning_tokens")
        facts |= {f"agensh.{name}": fields.get(name) for name in ("purpose", "cost_microusd")}
        facts["http.response.status_code"] = fields.get("status")
    if span.failed:
        facts["error.type"] = str(fields.get("error") or fields.get("status") or "failed")[:120]
    return {name: value for name, value in facts.items() if value is not None}


def _event(mark: Mark) -> dict[str, Any]:
    facts = {**{f"agensh.{name}": value for name, value in mark.fields.items()}, "agensh.evidence": mark.ref}
    return {"timeUnixNano": str(mark.at * 1_000_000), "name": f"agensh.{mark.name}", "attributes": _attributes(facts)}


def _attributes(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in facts.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": value if isinstance(value, str) else orjson.dumps(value).decode()}


def _id(run: Run, ref: str, size: int) -> str:
    return hashlib.sha256(f"{run.slug}\n{ref}".encode()).hexdigest()[: size * 2]

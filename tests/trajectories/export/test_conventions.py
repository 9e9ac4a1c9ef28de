"""OTLP as its own definition reads it: every span parses into the official messages, every GenAI name is one of the conventions."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as conventions

from tests.trajectories.export.taken import derived, step, taken, worker_says
from tests.trajectories.told import delivery, hear, new_run
from trajectories.derive import Deriver

pytestmark = pytest.mark.django_db
KNOWN = {value for name, value in vars(conventions).items() if name.startswith("GEN_AI_") and isinstance(value, str)}
OPERATIONS = {each.value for each in conventions.GenAiOperationNameValues}
IDS = ("traceId", "spanId", "parentSpanId")


def told() -> list[dict[str, Any]]:
    """The requests of two runs: the first-run story, and a worker with a failed step and a metered request."""
    said = [
        (1000, "loop", {"kind": "turn.started", "turn": 1, "trigger": "first"}),
        (2000, "from_agent", step("tool_call", "a", title="run \u202e tests", kind="execute", status="pending")),
        (3000, "from_agent", step("tool_call_update", "a", status="failed")),
        (6000, "loop", {"kind": "turn.finished", "turn": 1, "stop_reason": None, "error": "429 \ud800"}),
    ]
    run = worker_says(new_run("spoke", spec={"model": "m"}), said)
    metered = {
        "request": "r",
        "purpose": "work",
        "model": "m",
        "input_tokens": 9,
        "cached_tokens": 5,
        "output_tokens": 7,
    }
    metered |= {"n": 1, "worker": 1, "status": 500, "took_ms": 500, "cost_microusd": 3, "reasoning_tokens": 2}
    hear(run, [("gateway", delivery("1", metered, at=1_800_000_004_000))])
    Deriver(run.pk).wake()
    return [json.loads(line) for each in (derived(), run) for line in taken(each, "otlp").splitlines()]


def spans(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        span for resource in request["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]
    ]


def test_every_span_parses_into_the_official_messages() -> None:
    count = 0
    for request in told():
        for span in spans(request):
            # OTLP's JSON writes ids as hex, where protobuf's own mapping has base64: the one place in which they differ.
            span |= {name: base64.b64encode(bytes.fromhex(span[name])).decode() for name in IDS if name in span}
        read = json_format.ParseDict(request, ExportTraceServiceRequest())
        for each in (
            span for resource in read.resource_spans for scope in resource.scope_spans for span in scope.spans
        ):
            count += 1
            assert (len(each.trace_id), len(each.span_id)) == (16, 8)
            assert 0 < each.start_time_unix_nano <= each.end_time_unix_nano
    assert count > 20


def test_every_genai_name_is_one_of_the_conventions() -> None:
    used: set[str] = set()
    for span in (span for request in told() for span in spans(request)):
        facts = {each["key"]: each["value"] for each in span["attributes"]}
        used |= {name for name in facts if name.startswith("gen_ai.")}
        operation = facts["gen_ai.operation.name"]["stringValue"]
        assert operation in OPERATIONS
        assert span["name"].split()[0] == operation
    assert used - KNOWN == set()
    assert {"gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.usage.reasoning.output_tokens"} <= used

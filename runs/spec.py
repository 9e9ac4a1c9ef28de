"""What a run is asked to be and what launching makes of it, as frozen values. Pure: no Django, no processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

GIB = 1024**3
MAX_WORKERS = 1024
PERMISSIONS = ("all", "record")
EFFORTS = ("low", "medium", "high", "xhigh")
SCRIPTED = "scripted"


class SpecError(ValueError):
    """Bad input: `errors` maps each field to one sentence that says what is wrong and what would be right."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.errors.items()))


@dataclass(frozen=True, slots=True)
class Known:
    """What this installation offers: names a spec may use."""

    tasks: tuple[str, ...]
    harnesses: tuple[str, ...]
    backends: tuple[str, ...]
    endpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything a run is asked to be. Times in whole seconds, sizes as named; every field is flat in `run.started`."""

    name: str = ""
    task: str = ""
    preset: str = ""
    workers: int = 8
    harnesses: tuple[tuple[str, int], ...] = (("mini", 8),)
    model: str = "gpt-5.6-sol"
    endpoint: str = ""
    effort: str = "high"
    permissions: str = (
        "all"  # "record": an agent asks before it acts, the worker's loop allows by rule, both are recorded
    )
    duration_s: int = 21_600
    input_tokens: int = 272_000  # per model request, never a lifetime budget
    output_tokens: int = 128_000
    memory_gib: int = 64  # a ceiling, not a reservation
    checkpoint_s: int = 1_800
    claim_ttl_s: int = 3_600
    ramp_gate: int = 1  # so many workers begin together
    ramp_s: int = 30  # then one every so often in the first hour
    ramp_late_s: int = 3  # and one every so often after it
    reminders_s: tuple[int, ...] = (2_700, 300)  # before the deadline
    idle_limit_s: int = 600
    backend: str = "local"
    nodes: int = 1
    group: str = ""
    seed: int = 1
    peers: bool = True  # False: the single-agent baseline, with the forge but no board, chat or peers
    ends_early: bool = False  # end when the tests pass and every pull is settled
    budget_microusd: int = 0  # of all model requests together; 0 = none
    budget_tokens: int = 0
    requests_at_once: int = 0  # in front of the model; 0 = no cap

    @property
    def scripted(self) -> bool:
        """True if the scripted model decides, so pages must say so."""
        return self.model == SCRIPTED

    @property
    def role_window_s(self) -> int:
        """One hour, or half the run if that is shorter."""
        return min(3_600, self.duration_s // 2)

    def joins_at(self, n: int) -> int:
        """Seconds after the start at which worker n (from 1) joins."""
        late = max(0, n - self.ramp_gate)
        in_first_hour = late if self.ramp_s == 0 else min(late, 3_600 // self.ramp_s)
        return in_first_hour * self.ramp_s + (late - in_first_hour) * self.ramp_late_s

    def agent_seconds(self) -> int:
        """Time of all workers together, less the ramp."""
        return sum(max(0, self.duration_s - self.joins_at(n)) for n in range(1, self.workers + 1))

    def harness_of(self, n: int) -> str:
        """The harness of worker n: shares are dealt in turn, so every harness joins early."""
        counts, dealt, name = dict(self.harnesses), dict.fromkeys(dict(self.harnesses), 0), ""
        for _ in range(n):
            name = min((h for h in counts if dealt[h] < counts[h]), key=lambda h: (dealt[h] + 1) / counts[h])
            dealt[name] += 1
        return name

    def as_dict(self) -> dict[str, Any]:
        """JSON form: `harnesses` as {name: count}, tuples as lists."""
        flat = asdict(self)
        return {**flat, "harnesses": dict(self.harnesses), "reminders_s": list(self.reminders_s)}


@dataclass(frozen=True, slots=True)
class Command:
    """What to start: the argument list and the environment it needs beside the inherited one.

    Values of `env` may hold `{mcp.url}` and `{token.model}`: the worker's loop fills them in when it starts the agent, so no file of the run
    holds a token. `session_mode` is an ACP session mode to set after `session/new`, or empty.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    session_mode: str = ""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """One worker as a harness sees it; `model_url` is the base of an OpenAI-compatible API, `cli` the folder of the installed CLIs."""

    n: int
    name: str
    harness: str
    model: str
    model_url: str
    effort: str
    input_tokens: int
    output_tokens: int
    memory_bytes: int
    joins_at: int
    cli: str = ""
    platform: str = "linux-x64"
    permissions: str = "all"

"""Presets: specs with a name and a sentence that explains them. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from runs.spec import SCRIPTED, RunSpec


@dataclass(frozen=True, slots=True)
class Preset:
    """A starting point of the form. The task is chosen where the preset leaves it empty."""

    name: str
    title: str
    explanation: str
    spec: RunSpec


def _preset(name: str, title: str, explanation: str, spec: RunSpec) -> tuple[str, Preset]:
    return name, Preset(name, title, explanation, spec)


def _agensh(workers: int, nodes: int = 1, backend: str = "local") -> RunSpec:
    preset = "agensh" if workers == 8 else f"team-{workers}"
    return RunSpec(
        name=f"Team of {workers}",
        preset=preset,
        workers=workers,
        harnesses=(("mini", workers),),
        nodes=nodes,
        backend=backend,
    )


PRESETS: dict[str, Preset] = dict(
    [
        _preset(
            "demo",
            "Demo team: 8 workers, scripted model",
            "Eight equal workers rebuild a small program within four minutes. A scripted model decides by local rules, so it "
            "needs no account and no network; the first four workers start together, the others one a second; the run ends "
            "by itself when the tests pass and every pull is settled.",
            RunSpec(
                name="Demo team",
                preset="demo",
                workers=8,
                harnesses=(("mini", 8),),
                model=SCRIPTED,
                duration_s=240,
                memory_gib=2,
                checkpoint_s=20,
                claim_ttl_s=60,
                ramp_gate=4,
                ramp_s=1,
                ramp_late_s=1,
                reminders_s=(60, 15),
                idle_limit_s=45,
                ends_early=True,
            ),
        ),
        _preset(
            "mixed",
            "Mixed team: 4 agent CLIs and 4 mini, scripted model",
            "Two Copilot, one Claude Code, one Codex and four mini workers rebuild the demo's program together within ten minutes. The "
            "scripted model answers all of them, each in its own API, so it needs no account and no network; the CLIs must be "
            "installed once (make clis) and run in a sandbox.",
            RunSpec(
                name="Mixed team",
                preset="mixed",
                workers=8,
                harnesses=(("copilot", 2), ("claude", 1), ("codex", 1), ("mini", 4)),
                model=SCRIPTED,
                duration_s=600,
                memory_gib=2,
                checkpoint_s=30,
                claim_ttl_s=120,
                ramp_gate=8,
                ramp_s=1,
                ramp_late_s=1,
                reminders_s=(120, 30),
                idle_limit_s=60,
                ends_early=True,
            ),
        ),
        _preset(
            "agensh",
            "Agensh default: 8 workers, 6 hours",
            "The published defaults: eight workers for six hours on gpt-5.6-sol at high effort, one joining every 30 s, scored "
            "every 30 minutes. Needs the endpoint of a model.",
            _agensh(8),
        ),
        _preset(
            "baseline",
            "Single-agent baseline",
            "One worker on the same task, model, limits and time, with the forge but without peers, board or channel: what a "
            "team's run is compared with.",
            RunSpec(name="Single-agent baseline", preset="baseline", workers=1, harnesses=(("mini", 1),), peers=False),
        ),
        _preset(
            "team-32",
            "Team of 32",
            "Thirty-two workers with the published defaults; the last joins after about 16 minutes.",
            _agensh(32),
        ),
        _preset(
            "team-128",
            "Team of 128",
            "A hundred and twenty-eight workers: one every 30 s in the first hour, then one every 3 s.",
            _agensh(128),
        ),
        _preset(
            "team-1024",
            "Team of 1,024 on 16 nodes",
            "Sixteen nodes of 64 workers each. Needs a backend with several nodes; `local` has one.",
            _agensh(1024, nodes=16, backend="swarm"),
        ),
    ]
)

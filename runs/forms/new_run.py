"""The form of `/runs/new`. It reads and shows; whether a run can be is decided by `runs.validation`, as for API and command line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms

from runs import figures, keys
from runs.catalog import known, tasks
from runs.harnesses import HARNESSES
from runs.models import Endpoint, LanguageModel, Price
from runs.presets import PRESETS, Preset
from runs.spec import EFFORTS, PERMISSIONS, SCRIPTED, RunSpec, SpecError
from runs.validation import check_spec, microdollars, parse_spec

TIMES = ("duration_s", "checkpoint_s", "claim_ttl_s", "ramp_s", "ramp_late_s", "idle_limit_s")
FLAGS = ("peers", "ends_early")
NUMBERS = frozenset({"workers", "seed", "input_tokens", "output_tokens", "budget_tokens", "requests_at_once"})
PERMISSION_WORDS = {"all": "all: nothing is asked", "record": "record: asked, allowed by rule, recorded"}
BACKEND_WORDS = {
    "local": "local: this machine",
    "compose": "compose: containers here",
    "swarm": "swarm: containers on several nodes",
}


def _text(label: str, help_text: str = "", **attrs: Any) -> forms.CharField:
    return forms.CharField(
        label=label, help_text=help_text, required=False, widget=forms.TextInput(attrs={"autocomplete": "off", **attrs})
    )


def _choice(label: str) -> forms.CharField:
    # A CharField behind a select: an unknown value is refused by the one validation, whose sentence is the only one.
    return forms.CharField(label=label, required=False, widget=forms.Select())


def _number(label: str, help_text: str = "", **attrs: Any) -> forms.CharField:
    return _text(label, help_text, inputmode="numeric", **attrs)


class NewRun(forms.Form):
    """Every field of a RunSpec as text, so that each fault is said by the one validation and lands beside its field."""

    name = _text("Name", maxlength=120)
    task = _choice("Task")
    workers = _number("Workers", "1 to 1,024")
    duration_s = _text("Duration", "4 min, 6 h")
    seed = _number("Seed", "of the scripted model")
    group = _text("Group", "runs of one group are laid over each other", maxlength=80)

    harnesses = _text("Harness", f"{', '.join(HARNESSES)}; a mix as NAME:COUNT, NAME:COUNT", list="known-harnesses")
    model = _text("Model", f"“{SCRIPTED}” needs no account and says so wherever the run is shown", list="known-models")
    effort = _choice("Effort")
    permissions = _choice("Permissions")
    endpoint = _text(
        "Model endpoint",
        "a name from the list, or the base address of an OpenAI-compatible API; empty for the scripted model",
        list="known-endpoints",
    )
    model_key = forms.CharField(
        label="Key of the endpoint",
        required=False,
        max_length=keys.LONGEST,
        help_text="kept in a file for the gateway alone, for later runs too; empty = the kept one, or none",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    budget_microusd = _text("Budget", "dollars for all model requests; empty = none", inputmode="decimal")
    budget_tokens = _number("Token budget", "input and output; empty = none")
    requests_at_once = _number("Requests at once", "in front of the model; empty = no cap")
    backend = _choice("Backend")
    nodes = _number("Nodes", "local has one")

    input_tokens = _number("Input tokens", "of each model request")
    output_tokens = _number("Output tokens", "of each model request")
    memory_gib = _number("Memory ceiling", "GiB a worker, not reserved")
    checkpoint_s = _text("Checkpoint every", "the repository is scored")
    claim_ttl_s = _text("Claim life", "an older claim expires")
    idle_limit_s = _text("Idle limit", "then a nudge")
    ramp_gate = _number("Begin together", "workers at the start")
    ramp_s = _text("Then one every", "in the first hour")
    ramp_late_s = _text("Later one every", "after the first hour")
    reminders_s = _text("Reminders", "seconds before the end, comma separated")
    peers = forms.BooleanField(
        label="Peers", required=False, help_text="board, chat and other workers; off for a baseline"
    )
    ends_early = forms.BooleanField(
        label="Ends early", required=False, help_text="when the tests pass and every pull is settled"
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, preset: str, **kwargs: Any) -> None:
        self.preset: Preset = PRESETS[preset]
        self.run_spec: RunSpec | None = None
        super().__init__(data, initial=initial(self.preset.spec), **kwargs)
        offer = known()
        today = datetime.now(UTC).date()
        self.known_models = [(row, Price.holding(row.name, today)) for row in LanguageModel.offered(today)]
        self.known_endpoints = list(Endpoint.objects.all())
        self.fields["task"].widget.choices = [(task.name, task.title) for task in tasks()]
        self.fields["backend"].widget.choices = [(name, BACKEND_WORDS.get(name, name)) for name in offer.backends]
        self.fields["effort"].widget.choices = [(effort, effort) for effort in EFFORTS]
        self.fields["permissions"].widget.choices = [(name, PERMISSION_WORDS[name]) for name in PERMISSIONS]
        for name, field in self.fields.items():
            field.widget.attrs.setdefault("aria-describedby", f"id_{name}_help")

    def clean(self) -> dict[str, Any]:
        """Hand everything to the one validation; its sentences become the fields' errors."""
        raw: dict[str, Any] = {name: self.cleaned_data[name] for name in FLAGS}
        names = [name for name in self.fields if name not in FLAGS and name != "model_key"]
        raw |= {name: value for name in names if (value := self._said(name)) is not None}
        try:
            spec = parse_spec({**raw, "preset": self.preset.name}, self.preset.spec)
            check_spec(spec, known())
            self.run_spec = spec
        except SpecError as problem:
            for name, sentence in problem.errors.items():
                self.add_error(name if name in self.fields else None, f"{sentence[:1].upper()}{sentence[1:]}.")
        return self.cleaned_data

    def _said(self, name: str) -> str | None:
        """What was typed; None where nothing was and the preset holds. Names and endpoints may be meant to be empty."""
        value = str(self.data.get(self.add_prefix(name), ""))
        if name not in {"name", "endpoint", "group", "model", "reminders_s"} and not value.strip():
            return None
        if name == "budget_microusd":
            return microdollars(value)
        return value.replace(",", "") if name in NUMBERS else value


def initial(spec: RunSpec) -> dict[str, Any]:
    """A spec as the form shows it: times in words, harness counts only where there is a mix."""
    shown: dict[str, Any] = {name: getattr(spec, name) for name in NewRun.base_fields if name != "model_key"}
    shown |= {name: getattr(spec, name) or "" for name in ("budget_tokens", "requests_at_once")}
    shown["budget_microusd"] = f"{spec.budget_microusd / 1e6:.2f}" if spec.budget_microusd else ""
    shown |= {name: figures.span(getattr(spec, name)) for name in TIMES}
    names = [f"{name}:{count}" for name, count in spec.harnesses]
    shown["harnesses"] = spec.harnesses[0][0] if len(names) == 1 else ", ".join(names)
    shown["reminders_s"] = ", ".join(str(r) for r in spec.reminders_s)
    if not shown["task"] and (found := tasks()):
        shown["task"] = found[0].name
    return shown

"""`/runs/new`: choose a preset, change what you like, see what is missing, launch."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST

from runs import figures, keys, preflight
from runs.access import gate, require
from runs.estimate import estimate
from runs.forms.new_run import NewRun
from runs.launch import create_run
from runs.plan import service_names
from runs.presets import PRESETS, Preset
from runs.services.choosing import chosen, in_words
from runs.spec import RunSpec
from runs.team import PROMPT


@require_http_methods(["GET", "HEAD", "POST"])
@gate("operator")
def new_run(request: HttpRequest) -> HttpResponse:
    """The form, from a preset; posted, it launches once however often it is sent."""
    asked = request.POST.get("preset") if request.method == "POST" else request.GET.get("preset")
    preset = asked if asked in PRESETS else "demo"
    if request.method != "POST":
        return _page(request, NewRun(preset=preset))
    form = NewRun(request.POST, preset=preset)
    if not form.is_valid() or form.run_spec is None:
        return _page(request, form, status=422)
    key = request.POST.get("key", "")[:64] or None
    who = require(request, "operator")
    if form.cleaned_data.get("model_key") and not form.run_spec.scripted:
        try:
            keys.keep_for(form.run_spec.endpoint, form.cleaned_data["model_key"], require(request, "admin").person)
        except keys.KeyFault as fault:
            form.add_error("model_key", str(fault))
            return _page(request, form, status=422)
    run, _ = create_run(form.run_spec, person=who.person, idempotency_key=key)
    return redirect("run-launch", slug=run.slug)


@require_POST
@gate("operator")
def check(request: HttpRequest) -> HttpResponse:
    """The side of the form as typed so far: faults, preflight for the chosen backend, estimate."""
    asked = request.POST.get("preset")
    form = NewRun(request.POST, preset=asked if asked in PRESETS else "demo")
    form.is_valid()
    return render(request, "runs/_checks.html", {"form": form, **_checks(form.run_spec)})


def _checks(spec: RunSpec | None) -> dict[str, Any]:
    if spec is None:
        return {}
    checks = preflight.check(spec)
    return {
        "spec": spec,
        "checks": checks,
        "missing": sum(not c.ok for c in checks),
        "estimate": estimate(spec),
        "last_joins_s": spec.joins_at(spec.workers),
        "services": in_words(service_names(spec), chosen(spec.backend, Path(settings.DATA_DIR))),
    }


def _card(preset: Preset) -> dict[str, str]:
    """A preset as a radio card says it, in three short lines."""
    title, _, rest = preset.title.partition(": ")
    spec, length = preset.spec, figures.span(preset.spec.duration_s)
    workers = f"{spec.workers:,} worker{'' if spec.workers == 1 else 's'}"
    how = f"at most {length}" if spec.scripted else f"{spec.model}, effort {spec.effort}"
    return {"name": preset.name, "title": title, "who": rest or f"{workers}, {length}", "how": how}


def _page(request: HttpRequest, form: NewRun, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "preset": form.preset,
        "presets": [_card(preset) for preset in PRESETS.values()],
        "key": request.POST.get("key") or uuid.uuid4().hex,
        "prompt": PROMPT.read_text(),
        "query": urlencode({"preset": form.preset.name}),
    }
    return render(request, "runs/new_run.html", context, status=status)

"""A run's model gateway: what it is told at launch, whether the model answers, and how much of the budget is spent."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from runs import keys
from runs.backends.files import append_line, read_json, write_json
from runs.folder import RunFolder
from runs.models import Endpoint, Price, Run, Worker
from runs.spec import RunSpec

LOOK_S = 2.0
PROBE_S, PROBE_KEPT_S = 3.0, 30.0
_looked: dict[int, float] = {}
_probed: dict[tuple[str, str, float], tuple[float, str]] = {}


def config(spec: RunSpec, folder: RunFolder) -> dict[str, Any]:
    """The gateway's own part of its configuration file. It holds the path of the model's key, never the key."""
    told: dict[str, Any] = {
        "tokens_file": str(folder.service("gateway") / "tokens.json"),
        "model": spec.model,
        "prices": Price.table(),
        "most_at_once": spec.requests_at_once,
        "budget_microusd": spec.budget_microusd,
        "budget_tokens": spec.budget_tokens,
    }
    if spec.scripted:
        return {**told, "endpoint_file": str(folder.service("model") / "ready.json"), "auth": "none"}
    place = Endpoint.find(spec.endpoint)
    if place is None:  # an address nobody has written down: a server without a key
        return {**told, "endpoint": spec.endpoint.rstrip("/"), "auth": "none"}
    told |= {"endpoint": place.url, "auth": place.auth, "other_models": place.other_models, "strip": place.stripped}
    return {**told, "key_file": str(keys.path_of(place))} if place.auth != Endpoint.Auth.NONE else told


def write_tokens(folder: RunFolder, names: dict[int, str]) -> None:
    """One token for each worker, by number, and one for the ingest."""
    workers = {str(n): folder.secrets.ensure(f"{name}.model") for n, name in names.items()}
    path = folder.service("gateway") / "tokens.json"
    write_json(path, {"workers": workers, "ingest": folder.secrets.ensure("gateway")})


def fault(spec: RunSpec) -> tuple[str, str]:
    """What keeps the model from being used, and what mends it; two empty texts if nothing does."""
    place = Endpoint.find(spec.endpoint)
    if place is not None and place.auth != Endpoint.Auth.NONE and not keys.has_key(place):
        return f"no key is kept for {place.name}", f"manage.py keep_key {place.name}"
    if spec.budget_microusd and Price.holding(spec.model, datetime.now(UTC).date()) is None:
        return (
            f"a budget in dollars needs a price, and {spec.model} has none",
            "add its price on /models, or set a budget of tokens",
        )
    url = place.url if place else spec.endpoint.rstrip("/")
    said = probe(url, place)
    return (said, "start the server or mend the address; it ends where /chat/completions begins") if said else ("", "")


def probe(url: str, place: Endpoint | None) -> str:
    """Why the endpoint cannot be used, or "". Asked for its list of models, at most every half minute."""
    auth = place.auth if place else Endpoint.Auth.NONE
    file = keys.path_of(place) if place else Path()
    stamp = file.stat().st_mtime if place and file.is_file() else 0.0
    kept = _probed.get((url, auth, stamp))
    if kept and time.monotonic() - kept[0] < PROBE_KEPT_S:
        return kept[1]
    headers = {}
    if auth != Endpoint.Auth.NONE and stamp:
        key = file.read_text("utf-8").strip()
        headers = (
            {"Authorization": f"Bearer {key}"}
            if auth == Endpoint.Auth.BEARER
            else {auth: key, "anthropic-version": "2023-06-01"}
        )
    said = ""
    try:
        status = httpx.get(
            f"{url}/models", headers=headers, timeout=PROBE_S, trust_env=url.startswith("https:")
        ).status_code
        if status in (401, 403):
            said = f"{url} refuses the key ({status})"
        elif status >= 500:
            said = f"{url} answers {status}"
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        said = f"{url} does not answer ({type(problem).__name__})"
    _probed[(url, auth, stamp)] = (time.monotonic(), said)
    return said


def watch_budget(run: Run, folder: RunFolder) -> None:
    """Every other second: say once that the budget is nearly spent, to everybody; end the run when it is."""
    if time.monotonic() - _looked.get(run.pk, 0.0) < LOOK_S or not _has_budget(run):
        return
    _looked[run.pk] = time.monotonic()
    told = status(folder)
    before = run.monitor.get("budget", "open")
    if told is None or told["budget"] in (before, "open") or before == "spent":
        return
    with run.locked():
        run.monitor["budget"] = told["budget"]
        run.save(update_fields=["monitor"])
        figures = {name: told[name] for name in ("share_ppm", "spent_microusd", "spent_tokens")}
        run.record("budget.reached", state=told["budget"], limit=told["limit"], **figures)
    if told["budget"] == "near":
        text = (
            f"The run's model budget of {told['limit']} is nearly spent ({told['share_ppm'] / 10_000:.0f} %). "
            "Commit and push what you have, open or merge your pull now; the run ends when the budget does."
        )
        for row in run.workers.exclude(status=Worker.Status.ENDED):
            append_line(folder.worker(row.name) / "commands.jsonl", {"command": "say", "text": text})
    else:
        run.stop("ended", f"the model budget of {told['limit']} is spent")


def status(folder: RunFolder) -> dict[str, Any] | None:
    """What the gateway says of itself, or None while it does not answer."""
    ready, token = read_json(folder.service("gateway") / "ready.json"), folder.secrets.get("gateway")
    if not ready or not token:
        return None
    try:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.get(f"{ready['url']}/status", headers=headers, timeout=3, trust_env=False)
        found: dict[str, Any] | None = answer.json() if answer.is_success else None
        return found
    except (httpx.HTTPError, ValueError):
        return None


def forget(run: Run) -> None:
    """The run is over."""
    _looked.pop(run.pk, None)


def _has_budget(run: Run) -> bool:
    return bool(run.spec.get("budget_microusd") or run.spec.get("budget_tokens"))

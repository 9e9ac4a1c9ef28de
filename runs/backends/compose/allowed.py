"""What a stack may ask of the engine. It is checked on what Compose resolved, so nothing slips in by a default or a variable."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from runs.backends.compose.stack import APPS_NETWORK

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
# Every key a service may have: what is not named here is refused, whatever a later Compose makes of it.
KEYS = frozenset(
    [
        "cap_drop",
        "command",
        "depends_on",
        "deploy",
        "entrypoint",
        "environment",
        "healthcheck",
        "image",
        "init",
        "labels",
        "logging",
        "networks",
        "pull_policy",
        "read_only",
        "restart",
        "security_opt",
        "stop_grace_period",
        "tmpfs",
        "user",
        "volumes",
        "working_dir",
    ]
)
TOP = frozenset({"name", "services", "networks"})
NETWORKS = frozenset({"team", "out", "apps"})


def faults(config: Mapping[str, Any], folder: str, images: Collection[str], network: str = APPS_NETWORK) -> list[str]:
    """Why the resolved document (`docker compose config --format json`) may not be started; empty if it may.

    `folder` is the run folder, the only place that may be bound; `images` are the only ones that may run; `network` is the app's.
    """
    return list(_faults(config, os.path.realpath(folder), images, network))


def _faults(config: Mapping[str, Any], folder: str, images: Collection[str], apps: str) -> Iterator[str]:
    yield from (f"{key}: is not allowed" for key in config if key not in TOP)
    if not NAME.fullmatch(str(config.get("name", ""))):
        yield f"name: {config.get('name')!r} must be lower-case letters, digits and hyphens, 40 at most"
    for name, network in (config.get("networks") or {}).items():
        if name not in NETWORKS or network.get("driver") not in {None, "bridge"} or network.get("driver_opts"):
            yield f"networks.{name}: is not allowed"
        if name == "apps" and (network.get("external") is not True or network.get("name") != apps):
            yield f"networks.apps: must be {apps}, which the app's own stack made"
        if name == "team" and network.get("internal") is not True:
            yield "networks.team: must be internal"
    for name, service in (config.get("services") or {}).items():
        yield from (f"services.{name}.{fault}" for fault in _service(name, service, folder, images))


def _service(name: str, service: Mapping[str, Any], folder: str, images: Collection[str]) -> Iterator[str]:
    yield from (f"{key}: is not allowed" for key in service if key not in KEYS)
    if service.get("image") not in images:
        yield f"image: {service.get('image')!r} is not one of {', '.join(sorted(images))}"
    if service.get("cap_drop") != ["ALL"]:
        yield "cap_drop: must be ALL"
    if service.get("security_opt") != ["no-new-privileges:true"]:
        yield "security_opt: must be no-new-privileges:true alone"
    if service.get("read_only") is not True:
        yield "read_only: must be true"
    if str(service.get("user", "")).split(":")[0] in {"", "0", "root"}:
        yield "user: must not be root"
    limits = ((service.get("deploy") or {}).get("resources") or {}).get("limits") or {}
    yield from (f"deploy.resources.limits.{key}: is missing" for key in ("memory", "pids") if not limits.get(key))
    for bind in service.get("volumes") or []:
        yield from _bind(name, bind, folder)
    networks = set(service.get("networks") or {"default": None})
    wanted = {"team"} if service.get("labels", {}).get("agensh.life", "0") != "0" else NETWORKS
    if not networks <= wanted:
        yield f"networks: {', '.join(sorted(networks - wanted))} is not for it"
    if "out" in networks and name != "gateway":
        yield "networks: only the gateway may reach out"


def _bind(name: str, bind: Mapping[str, Any], folder: str) -> Iterator[str]:
    source = os.path.realpath(str(bind.get("source", "")))
    if bind.get("type") == "bind" and name == "gateway" and _is_model_key(source, folder):
        if bind.get("read_only") is not True:
            yield f"volumes: {bind.get('source')} must be read-only"
    elif bind.get("type") != "bind" or not source.startswith(folder + os.sep):
        yield f"volumes: {bind.get('source')} is not inside the run folder"
    elif source.endswith(".sock"):
        yield f"volumes: {bind.get('source')} is a socket"


def _is_model_key(source: str, folder: str) -> bool:
    """The key of a model endpoint, which lies in the data folder above the runs: for the gateway alone."""
    keys = os.path.join(os.path.dirname(os.path.dirname(folder)), "keys")
    return os.path.dirname(source) == keys and source.endswith(".key")

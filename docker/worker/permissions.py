"""The answer to an agent's request for permission: the run's policy, never a person. Pure."""

from __future__ import annotations

from collections.abc import Iterable

# Which kinds of option a policy takes, best first. `deny` is for harnesses that go on after a refusal: where a refusal ends the turn
# (Copilot) the harness's own settings have to deny.
POLICIES = {
    "allow": ("allow_always", "allow_once"),
    "allow_once": ("allow_once", "allow_always"),
    "deny": ("reject_once", "reject_always"),
}
REFUSALS = POLICIES["deny"]


def chosen(policy: str, options: Iterable[tuple[str, str]]) -> str | None:
    """The id of the option to take, of (kind, id) pairs; None if there is none of a kind that the policy takes."""
    first: dict[str, str] = {}
    for kind, id in options:
        first.setdefault(kind, id)
    return next((first[kind] for kind in POLICIES[policy] if kind in first), None)

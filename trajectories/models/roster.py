"""Who is who in a run: identities of the services to worker numbers, as the roster events say; the latest wins."""

from __future__ import annotations

import orjson

from trajectories.models.event import EventRow


def roster(run_id: int) -> dict[str, int]:
    """`w0017`, `gitea:<login>` and `mattermost:<username>` to the worker's number."""
    rows = EventRow.objects.filter(run_id=run_id, rank__lt=5, kind="worker.enrolled").order_by("at", "seq")
    found: dict[str, int] = {}
    for worker, text in rows.values_list("worker", "fields"):
        if worker is not None:
            found.update(dict.fromkeys(identities(orjson.loads(text)), worker))
    return found


def identities(fields: dict[str, object]) -> list[str]:
    """The identities that one `worker.enrolled` binds to its worker."""
    told = [fields.get("name"), fields.get("gitea_login"), fields.get("mattermost_username")]
    names = zip(("", "gitea:", "mattermost:"), told, strict=True)
    return [f"{place}{name}" for place, name in names if isinstance(name, str) and name]

"""The State without what a picture does not need: no bodies, no long lists of evidence, rows as columns. A tenth of the bytes.

`{"generation","c","n","t0","settled","counts":{table: rows},"tables":{table:{"columns":[..],"rows":[[..],..]}}}`. Tables left out, and
notes that still hold, are in `counts` alone. `static/js/trajectory/lean.js` reads it; change records are folded onto it as onto the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

LEFT_OUT = {"branches", "trust", "waste"}
NOTE = ("note", "worker", "hidden_at", "replaced_by", "invalidated_by")
Tables = Mapping[str, Mapping[Any, Mapping[str, Any]]]


def lean(tables: Tables, place: Mapping[str, Any]) -> bytes:
    """The JSON text; `place` = generation, c, n, t0 and settled of these tables."""
    counts = {name: len(rows) for name, rows in tables.items()}
    shown = {name: _columns(name, rows) for name, rows in tables.items() if name not in LEFT_OUT}
    return orjson.dumps({**place, "counts": counts, "tables": shown})


def _columns(name: str, rows: Mapping[Any, Mapping[str, Any]]) -> dict[str, Any]:
    found = list(rows.values())
    if name == "notes":
        found = [row for row in found if any(row.get(field) is not None for field in NOTE[2:])]
        return {"columns": NOTE, "rows": [[row.get(field) for field in NOTE] for row in found]}
    columns = list(dict.fromkeys(field for row in found for field in row))
    return {"columns": columns, "rows": [[_short(field, row.get(field)) for field in columns] for row in found]}


def _short(field: str, value: Any) -> Any:
    return value[-1:] if field == "evidence" and isinstance(value, list) else value

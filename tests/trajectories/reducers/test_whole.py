"""Rules that hold for every topic: junk is survived, names do not matter, thresholds are listed."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trajectories.reducers.lively import busy
from tests.trajectories.reducers.team import START, Team, fold_of
from trajectories.events import KINDS, Event
from trajectories.reducers import NOT_YET_DERIVED, RULES, TABLES, Fold

_JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["w0001", "gitea:w0001", "approved", "CLAIM", "FAIL", "releasing n1", "direct", "true", "open"])
    | st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_NAMES = sorted(
    {name for kind in KINDS.values() for name in kind.fields} - {"*"} | {"duration_s", "claim_ttl_s", "fingerprint"}
)


@st.composite
def junk_events(draw: Any) -> Event:
    kind = draw(st.sampled_from(sorted(KINDS)))
    fields = draw(st.dictionaries(st.sampled_from(_NAMES), _JUNK, max_size=6) | _JUNK)
    worker = draw(st.none() | st.integers(-1, 3) | st.just(10**30))
    actor = draw(
        st.none() | st.sampled_from(["w0001", "gitea:w0002", "", ":", "mattermost:w0001"]) | st.text(max_size=5)
    )
    at = START + draw(st.integers(0, 100_000))
    return Event(
        at,
        KINDS[kind].source,
        draw(st.integers(1, 99)),
        draw(st.text(max_size=5)),
        0,
        kind,
        worker,
        actor,
        None,
        fields,
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(junk_events(), max_size=25))
def test_junk_in_any_field_is_survived(events: list[Event]) -> None:
    team = Team(workers=2)
    team.claims(1, "lexer", "lexer")
    team.opens(1, 1)
    fold, _ = fold_of(team.events)
    for event in sorted(events, key=lambda each: each.at):
        fold.take(event)
    assert fold.faults == []
    assert len(fold.hash()) == 64


def test_an_unknown_kind_changes_nothing() -> None:
    fold = Fold()
    assert fold.take(Event(START, "run", 1, "1", 0, "moon.rose")) == []


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_renaming_every_worker_renames_the_state_and_nothing_else(seed: int) -> None:
    """What a worker does decides, never which number it has."""
    team = busy(seed, workers=4)
    numbers = [1, 2, 3, 4]
    random.Random(seed).shuffle(numbers)
    new = dict(zip([1, 2, 3, 4], numbers, strict=True))

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub(r"\bw000([1-4])\b", lambda found: f"w000{new[int(found.group(1))]}", value)
        if isinstance(value, dict):
            return {key: renamed(item) for key, item in value.items()}
        return [renamed(item) for item in value] if isinstance(value, list) else value

    events = []
    for event in team.events:
        worker = new.get(event.worker, event.worker) if event.worker else event.worker
        id = re.sub(r"^\d+(?=-\d+-\d+$)", str(worker), event.id) if event.source == "acp" else event.id
        fields = {key: item for key, item in renamed(event.fields).items() if key != "gitea_id"}
        events.append(event._replace(worker=worker, actor=renamed(event.actor), id=id, fields=fields))
    before, _ = fold_of(
        [e._replace(fields={k: v for k, v in e.fields.items() if k != "gitea_id"}) for e in team.events]
    )
    after, _ = fold_of(events)

    assert {
        _who(key, row, new, table): _row(row, new, table)
        for table, rows in before.tables.items()
        for key, row in rows.items()
    } == {(table, key): _row(row, {}, table) for table, rows in after.tables.items() for key, row in rows.items()}


_WORKER_COLUMNS = ("worker", "peer", "author", "merged_by", "reviewer", "from_worker", "to_worker")
_WORKER_COLUMNS += ("answered_by", "landed_by")


def _who(key: Any, row: Any, new: dict[int, int], table: str) -> tuple[str, Any]:
    if table == "workers":
        return table, new[key]
    if table == "roles":
        return table, re.sub(r"^\d+", lambda found: str(new[int(found.group())]), key)
    if table == "trust":
        return table, ">".join(str(new[int(each)]) for each in key.split(">"))
    if table == "reviews":
        pull, reviewer, k = key.split(".")
        return table, f"{pull}.{new[int(reviewer)]}.{k}"
    if table == "attention" and key.startswith(("worker_", "nudge_")):
        kind, worker = key.split(":")
        return table, f"{kind}:{new[int(worker)]}"
    return table, key


def _row(row: Any, new: dict[int, int], table: str) -> dict[str, Any]:
    """The row with its workers renamed; keys and ACP references, which hold numbers, are left to the keys' comparison."""
    hidden = {TABLES[table].key, "evidence", "name"} - ({"name"} if table == "behaviours" else set())
    shown = {name: value for name, value in row.items() if name not in hidden}

    lists = {
        name: [new.get(each, each) for each in shown[name]] for name in ("asked", "cancelled") if table == "handovers"
    }
    one = {k: new.get(v, v) if k in _WORKER_COLUMNS and type(v) is int else v for k, v in shown.items()}
    return {**one, **lists}


def test_every_threshold_says_what_it_does() -> None:
    assert {"claim_ttl_s", "role_window_s", "integrator_merges", "unreviewed_s"} <= set(RULES)
    for name, rule in RULES.items():
        assert rule.name == name and rule.value > 0 and rule.unit
        assert rule.sentence.endswith((".", "window", "window,"))


def test_the_fields_of_the_run_win_over_every_threshold() -> None:
    team = Team(integrator_merges=1)
    team.opens(1, 7)
    team.merges(2, 7)
    assert [row["role"] for row in team.table("roles").values()] == ["integrator"]


def test_nothing_is_left_underived() -> None:
    assert NOT_YET_DERIVED == {}
    seen = {change.table for seed in range(20) for change in fold_of(busy(seed, moves=300).events)[1]}
    assert seen == set(TABLES) - {"services"}


def test_evidence_keeps_the_first_ten_and_the_latest_ten() -> None:
    team = Team(workers=1)
    refs = [team.opens(1, 7)] + [team.forge("pull.pushed", 1, number=7, sha=str(n)) for n in range(40)]
    row = team.row("pulls", 7)
    assert row["evidence"] == refs[:10] + refs[-10:]
    assert row["evidence_count"] == 41

"""The API of a run's trajectory, as a program reads it."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

import pytest
from django.test import AsyncClient, Client

from runs.models import ApiToken, Run
from tests.trajectories.told import FOLDER, hear, new_run, told
from trajectories.bundle import import_bundle
from trajectories.derive import Deriver, changelog, settle
from trajectories.derive.agtl import decode
from trajectories.models import Blob, Stream
from trajectories.models.packing import pack
from trajectories.reducers import TABLES, rows_hash

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    import_bundle(FOLDER)
    return Run.objects.get()


@pytest.fixture
def get() -> Any:
    headers = {"Authorization": f"Bearer {ApiToken.mint('test', 'viewer')[0]}"}
    return lambda path, **more: Client().get(f"/api/v1/runs/{path}", headers={**headers, **more})


def test_the_state_has_every_table_and_its_hash(run: Run, get: Any) -> None:
    state = get(f"{run.slug}/state").json()
    assert set(state["tables"]) == set(TABLES)
    assert state["hash"] == Stream.of(run.pk).settled_hash
    assert state["settled"] is True
    for name in ("workers", "claims", "pulls", "reviews", "recoveries", "roles", "checkpoints", "notes", "services"):
        assert state["tables"][name], name
    for name, rows in state["tables"].items():
        assert all(str(row[TABLES[name].key]) == key for key, row in rows.items())


def test_the_state_at_a_moment_is_another(run: Run, get: Any) -> None:
    early = get(f"{run.slug}/state?at=8&table=claims").json()
    assert set(early["tables"]) == {"claims"}
    assert {row["status"] for row in early["tables"]["claims"].values()} == {"live"}
    assert get(f"{run.slug}/state?at=NaN").status_code == 422
    assert get(f"{run.slug}/state?at=1e300").status_code == 422
    assert get(f"{run.slug}/state?table=none").status_code == 422


def test_changes_from_the_start_make_the_state(run: Run, get: Any) -> None:
    tables: dict[str, Any] = {name: {} for name in TABLES}
    after = 0
    while True:
        page = get(f"{run.slug}/changes?after={after}&limit=100").json()
        found = [(*record[:5], json.dumps(record[5]), json.dumps(record[6])) for record in page["changes"]]
        assert [record[0] for record in found] == list(range(after + 1, after + 1 + len(found)))
        changelog.apply(tables, found)
        after += len(found)
        if after == page["last"]:
            break
    assert rows_hash(tables) == Stream.of(run.pk).settled_hash


def test_the_state_and_the_changes_after_it_follow_a_live_run(get: Any) -> None:
    run, story = new_run("live"), told()
    mind = Deriver(run.pk)
    hear(run, story[:80])
    mind.wake()
    state = get("live/state").json()
    hear(run, story[80:])
    mind.wake()
    page = get(f"live/changes?after={state['c']}&limit=10000").json()
    tables = {name: {_key(row, name): row for row in rows.values()} for name, rows in state["tables"].items()}
    changelog.apply(tables, [(*r[:5], json.dumps(r[5]), json.dumps(r[6])) for r in page["changes"]])
    assert rows_hash(tables) == mind.live_hash()
    assert page["generation"] == state["generation"]


def _key(row: dict[str, Any], table: str) -> Any:
    return row[TABLES[table].key]


def test_events_are_read_in_order_of_arrival_and_filtered(run: Run, get: Any) -> None:
    everything = get(f"{run.slug}/events?limit=10000").json()
    assert [event["n"] for event in everything["events"]] == list(range(1, everything["last"] + 1))
    merged = get(f"{run.slug}/events?kind=pull.merged,message.*").json()["events"]
    assert {event["kind"] for event in merged} == {"pull.merged", "message.posted", "message.edited"}
    mine = get(f"{run.slug}/events?worker=2&limit=1000").json()["events"]
    assert {"pull.merged", "note.posted", "turn.started"} <= {event["kind"] for event in mine}
    assert {event["worker"] for event in mine} == {2}
    first = get(f"{run.slug}/events?limit=10").json()
    assert get(f"{run.slug}/events?after={first['last']}&limit=1").json()["events"][0]["n"] == 11


def test_every_evidence_reference_resolves(run: Run, get: Any) -> None:
    tables = get(f"{run.slug}/state").json()["tables"]
    references = {ref for rows in tables.values() for row in rows.values() for ref in row.get("evidence", [])}
    assert len(references) > 20
    for reference in references:
        source, _, id = reference.partition(":")
        answer = get(f"{run.slug}/evidence/{source}/{id.replace('#', '%23')}")
        assert answer.status_code == 200, reference
        assert reference in {event["ref"] for event in answer.json()["events"]}
    assert get(f"{run.slug}/evidence/gitea/none").status_code == 404
    assert get(f"{run.slug}/evidence/jira/1").status_code == 422


def test_who_had_seen_a_note(run: Run, get: Any) -> None:
    assert get(f"{run.slug}/notes/9/seen").json() == {"note": 9, "workers": [1, 2, 3]}
    assert get(f"{run.slug}/notes/9/seen?at=100").json()["workers"] == []


def test_the_timeline_is_sorted_packed_and_cached(run: Run, get: Any) -> None:
    manifest = get(f"{run.slug}/timeline").json()
    (segment,) = manifest["segments"]
    assert (manifest["version"], manifest["sorted"]) == (1, True)
    answer = get(f"{run.slug}/timeline?segment=0")
    assert (answer["Content-Encoding"], answer["ETag"]) == ("gzip", f'"{segment["etag"]}"')
    rows = decode(gzip.decompress(answer.content))
    assert len(rows) == segment["rows"]
    assert rows == sorted(rows)
    assert {manifest["kinds"][row[3]] for row in rows} == set(manifest["kinds"])
    assert all(row[2] in range(5) for row in rows)
    assert get(f"{run.slug}/timeline?segment=0", **{"If-None-Match": answer["ETag"]}).status_code == 304
    assert get(f"{run.slug}/timeline?segment=1").status_code == 404


def test_what_the_manifest_names_is_kept_for_ever_and_gone_once_it_has_changed(run: Run, get: Any) -> None:
    manifest = get(f"{run.slug}/timeline").json()
    named = [f"segment={one['k']}&etag={one['etag']}" for one in manifest["segments"]]
    named += [f"tile={one['name']}&etag={one['etag']}" for one in manifest["tiles"]]
    assert len(named) == 4
    for query in named:
        answer = get(f"{run.slug}/timeline?{query}&generation={manifest['generation']}")
        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]
        assert "private" in answer["Cache-Control"], "no proxy keeps what only people with a role may see"
        again = get(
            f"{run.slug}/timeline?{query}&generation={manifest['generation']}", **{"If-None-Match": answer["ETag"]}
        )
        assert (again.status_code, again.content) == (304, b"")
        assert get(f"{run.slug}/timeline?{query}&generation=1").status_code == 404
        assert get(f"{run.slug}/timeline?{query}x&generation={manifest['generation']}").status_code == 404
    assert "immutable" not in get(f"{run.slug}/timeline?segment=0")["Cache-Control"], "this address names no bytes"


def test_the_newest_piece_of_a_run_that_lives_is_kept_by_nobody(get: Any) -> None:
    run = new_run("lives")
    hear(run, told())
    Deriver(run.pk).wake()
    (segment,) = get("lives/timeline").json()["segments"]
    answer = get(f"lives/timeline?segment=0&generation=1&etag={segment['etag']}")
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store")
    assert len(decode(gzip.decompress(answer.content))) == segment["rows"]
    moved = get("lives/timeline?segment=0&generation=1&etag=what-it-was")
    assert (moved.status_code, moved["Cache-Control"]) == (200, "private, no-cache"), "it went on between two questions"
    assert moved.content == answer.content
    assert get(f"lives/timeline?segment=0&generation=2&etag={segment['etag']}").status_code == 404


def test_the_bundle_can_be_taken_away(run: Run, get: Any) -> None:
    answer = get(f"{run.slug}/bundle")
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert "manifest.json" in archive.namelist()
        assert len(archive.read("deliveries/run.jsonl").splitlines()) == run.deliveries.filter(source="run").count()


def test_feeds_say_unknown_and_never_zero(run: Run, get: Any) -> None:
    rows = {row["source"]: row for row in get(f"{run.slug}/feeds").json()["feeds"]}
    assert set(rows) == {"run", "board", "mattermost", "gitea", "gateway", "acp"}
    assert rows["board"]["newest_at"].startswith("2026-11-29T09:02:30")
    assert (rows["board"]["polled_at"], rows["board"]["lag_ms"]) == (None, None)
    new_run("quiet")
    assert all(row["newest_at"] is None for row in get("quiet/feeds").json()["feeds"])


def test_cut_strings_are_served_as_plain_text(run: Run, get: Any) -> None:
    Blob.objects.create(run=run, sha256="a" * 64, bytes=9, body=pack(b"<script>x"))
    answer = get(f"{run.slug}/blobs/{'a' * 64}")
    assert (answer.content, answer["Content-Type"]) == (b"<script>x", "text/plain; charset=utf-8")
    assert get(f"{run.slug}/blobs/{'b' * 64}").status_code == 404


@pytest.mark.parametrize("path", ["state", "changes", "events", "timeline", "feeds", "bundle", "evidence/run/1"])
def test_strangers_and_unknown_runs_get_nothing(run: Run, get: Any, path: str) -> None:
    assert Client().get(f"/api/v1/runs/{run.slug}/{path}").status_code == 401
    assert get(f"nowhere/{path}").status_code == 404


def test_an_empty_run_answers_everywhere(get: Any) -> None:
    new_run("empty")
    for path in ("state", "state?at=3", "changes", "events", "timeline", "feeds", "notes/1/seen"):
        assert get(f"empty/{path}").status_code == 200, path


@pytest.mark.django_db(transaction=True)
async def test_the_bundle_streams_from_an_async_server() -> None:
    from asgiref.sync import sync_to_async

    run = await sync_to_async(new_run)("async")
    await sync_to_async(hear)(run, told()[:30])
    await sync_to_async(settle)(run.pk)
    plain = (await sync_to_async(ApiToken.mint)("test", "viewer"))[0]
    answer = await AsyncClient().get("/api/v1/runs/async/bundle", headers={"Authorization": f"Bearer {plain}"})
    body = b"".join([piece async for piece in answer.streaming_content])
    assert zipfile.is_zipfile(io.BytesIO(body))

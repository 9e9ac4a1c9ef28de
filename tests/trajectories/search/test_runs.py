"""Search across a run and all runs: what was indexed and what has just come, narrowed by who, what and when, behind the gate."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from runs.models import ApiToken, Run
from tests.runs.factories import make_person
from tests.trajectories.told import FOLDER, delivery, new_run, run_event
from trajectories import indexes, search
from trajectories.bundle import import_bundle
from trajectories.events import iso
from trajectories.ingest.reparse import reparse
from trajectories.ingest.store import store
from trajectories.models import SearchPart, Stream
from trajectories.search import indexing

pytestmark = pytest.mark.django_db
T0 = 1_800_000_000_000


def note(run: Run, n: int, worker: int, text: str, at: int | None = None, **more: Any) -> None:
    at = T0 + n * 1000 if at is None else at
    body = {"seq": n, "at": iso(at), "op": "note", "worker": f"w{worker:04d}", "note": n, "type": "FACT", "text": text}
    store(
        run.pk,
        "board",
        [delivery(str(n), {**body, "detail": None, "delegation_id": None, **more}, seq=n, at=at)],
        fixed=True,
    )


@pytest.fixture
def run() -> Run:
    found = new_run("team")
    store(found.pk, "run", [run_event(1, "run.started", T0)])
    for worker in (1, 2):
        fields = {"worker": worker, "name": f"w{worker:04d}", "node": "n", "gitea_login": f"w{worker:04d}"}
        store(found.pk, "run", [run_event(1 + worker, "worker.enrolled", T0, **fields)])
    Stream.objects.filter(run=found).update(t0=T0)
    for n in range(1, 41):
        note(found, n, 1 + n % 2, f"finding {n} about the {'lexer' if n % 4 else 'parser'}")
    return found


def hits(
    run: Run | None, words: str, limit: int = 50, seconds: Any = (None, None), **narrowed: Any
) -> list[dict[str, Any]]:
    runs = [run] if run else Run.objects.all()
    found, left = search.search(runs, search.terms(words), search.Filters(**narrowed), limit, seconds)
    assert left == []
    return [hit for each in found for hit in each.hits]


def test_what_has_just_come_is_found_before_it_is_put_up(run: Run) -> None:
    assert not SearchPart.objects.exists()
    assert len(hits(run, "parser")) == 10


def test_the_same_is_found_once_it_is_put_up_and_more_comes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = hits(run, "finding")
    monkeypatch.setattr(indexing, "SIZE", 16)
    assert search.catch_up(run.pk) == 32
    assert SearchPart.objects.count() == 2
    assert hits(run, "finding") == before
    indexes.finish(run.pk)
    assert hits(run, "finding") == before
    note(run, 41, 1, "a late finding")
    assert hits(run, "finding")[0]["t"] == 41.0
    assert len(hits(run, "finding")) == 41


def test_hits_come_newest_first_and_go_on_before_a_number(run: Run) -> None:
    indexes.finish(run.pk)
    first = hits(run, "finding", 15)
    rest = hits(run, "finding", 50, before=first[-1]["n"])
    assert [hit["t"] for hit in [*first, *rest]] == [float(n) for n in range(40, 0, -1)]


def test_newest_is_by_time_and_not_by_arrival_also_from_page_to_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import brings one source after the other, and a worker that was cut off tells late."""
    monkeypatch.setattr(indexing, "SIZE", 8)
    for n, at in ((41, 5_500), (42, 20_500), (43, 20_500), (44, 100)):
        note(run, n, 1, "a finding that came late", at=T0 + at)
    indexes.finish(run.pk)
    everything = hits(run, "finding", 100)
    assert [hit["t"] for hit in everything] == sorted((hit["t"] for hit in everything), reverse=True)
    assert len(everything) == 44
    paged: list[dict[str, Any]] = []
    while page := hits(run, "finding", 7, before=paged[-1]["n"] if paged else None):
        paged += page
    assert paged == everything
    assert hits(run, "finding", 7, before=10**9) == []


def test_hits_are_narrowed_by_worker_kind_and_time(run: Run) -> None:
    indexes.finish(run.pk)
    assert {hit["worker"] for hit in hits(run, "finding", worker=2)} == {2}
    assert len(hits(run, "finding", worker=2)) == 20
    assert hits(run, "finding", kinds=frozenset(["message"])) == []
    assert [hit["t"] for hit in hits(run, "finding", seconds=(10.0, 12.0))] == [12.0, 11.0, 10.0]


def test_a_hit_leads_to_its_moment(run: Run) -> None:
    (hit,) = hits(run, '"finding 7 "')
    assert hit["url"] == f"/runs/team/replay?t=7.000&w=2&ev=n:{hit['n']}"


def test_kinds_are_counted_whatever_kind_is_asked_for(run: Run) -> None:
    found, _ = search.search([run], search.terms("finding"), search.Filters(kinds=frozenset(["pull"])), 5)
    assert [(each.count, each.kinds) for each in found] == [(0, {"note": 40})]


def test_notes_messages_pulls_reviews_commits_and_steps_are_all_found() -> None:
    import_bundle(FOLDER)
    run = Run.objects.get()
    assert SearchPart.objects.filter(run=run).exists()
    kinds: dict[str, int] = {}
    for words in ("claim", "lexer", "pytest", "the", "src"):
        told, _ = search.search([run], search.terms(words), search.Filters(), 5)
        for each in told:
            kinds |= each.kinds
    assert {"note", "message", "pull", "review", "step"} <= set(kinds)


def test_rederive_puts_up_the_same_index_again() -> None:
    import_bundle(FOLDER)
    run = Run.objects.get()
    before = list(SearchPart.objects.values_list("n", "upto", "count", "body"))
    call_command("rederive", run.slug, verbosity=0)
    assert list(SearchPart.objects.values_list("n", "upto", "count", "body")) == before
    reparse(run.pk)
    assert not SearchPart.objects.exists()


@pytest.fixture
def get() -> Any:
    headers = {"Authorization": f"Bearer {ApiToken.mint('test', 'viewer')[0]}"}
    return lambda path: Client().get(f"/api/v1/{path}", headers=headers)


def test_the_api_searches_one_run_or_all(run: Run, get: Any) -> None:
    other = new_run("other")
    note(other, 1, 1, "another finding")
    told = get("search?q=finding").json()
    assert [(each["run"], each["count"]) for each in told["runs"]] == [("other", 1), ("team", 40)]
    assert len(told["runs"][1]["hits"]) == search.EACH
    one = get("search?q=finding&run=team&limit=30&worker=2&from=5&to=15").json()["runs"][0]
    assert [hit["t"] for hit in one["hits"]] == [15.0, 13.0, 11.0, 9.0, 7.0, 5.0]
    assert get("search?q=").status_code == 422
    assert get("search?q=x&kind=secrets").status_code == 422
    assert get("search?q=x&run=nowhere").status_code == 404


def test_the_page_marks_hits_and_shows_hostile_text_as_text(run: Run, client: Client) -> None:
    note(run, 50, 1, "<script>alert(1)</script> finding\u202e \x1b[31mred")
    assert client.get("/search?q=finding").status_code == 302
    client.force_login(make_person("eve", "viewer"), backend="django.contrib.auth.backends.ModelBackend")
    page = client.get("/search?q=finding&run=team").content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; <mark>finding</mark>⟨U+202E⟩ ␛[31mred" in page
    assert "<script>alert" not in page
    assert client.get("/search?q=%3Cb%3E").status_code == 200
    for words in ("q=finding&worker=x", "q=finding&from=soon", "q=-finding"):
        assert "must be" in (told := client.get(f"/search?{words}").content.decode()) or "say at least one word" in told
    assert client.get("/search?q=finding&run=nowhere").status_code == 404


def test_who_has_no_role_finds_nothing(run: Run, client: Client) -> None:
    client.force_login(make_person("mal", None), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/search?q=finding").status_code == 403
    assert client.get("/api/v1/search?q=finding").status_code == 401


def test_nothing_is_being_read_while_a_part_is_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite who reads cannot write once somebody else has written, and at thousands of events a second somebody always has."""
    read, write, reading = indexing.documents, indexing._write, []

    def documents(*where: int) -> Any:
        reading.append(where)
        try:
            yield from read(*where)
        finally:
            reading.pop()

    def written(*what: Any) -> bool:
        assert not reading
        return write(*what)

    monkeypatch.setattr(indexing, "SIZE", 16)
    monkeypatch.setattr(indexing, "documents", documents)
    monkeypatch.setattr(indexing, "_write", written)
    assert search.catch_up(run.pk, seal=True) == 40
    assert SearchPart.objects.count() == 3

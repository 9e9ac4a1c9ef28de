"""A claim's page joins note, messages, pull, reviews, merge and score; a pull's and a worker's likewise."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs.access import give_role
from runs.models import Run
from trajectories import replay
from trajectories.bundle import import_bundle
from trajectories.joined import claim_story, pull_story, worker_story

BUNDLE = Path(__file__).resolve().parents[1] / "fixtures" / "bundles" / "first_run"


@pytest.fixture
def run(db: None) -> Run:
    import_bundle(BUNDLE)
    return Run.objects.get(slug="first-run")


@pytest.fixture
def eve(db: None, client: Client) -> Client:
    person = User.objects.create_user("eve")
    give_role(person, "viewer")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def kinds(story: object) -> list[str]:
    return [line.kind for line in story.moments]  # type: ignore[attr-defined]


def test_a_claim_is_told_from_its_note_to_the_score_after_its_merge(run: Run) -> None:
    story = claim_story(run.pk, replay.state(run.pk)["tables"], "1")
    told = kinds(story)
    assert told[0] == "note.posted"
    assert told[-2:] == ["pull.merged", "checkpoint.scored"]
    assert {"message.posted", "branch.created", "pull.opened", "review.submitted"} <= set(told)
    assert story.sources == 4


def test_the_direct_message_that_settled_an_overlap_is_in_the_story(run: Run) -> None:
    tables = replay.state(run.pk)["tables"]
    story = claim_story(run.pk, tables, "1")
    assert tables["claims"]["1"]["settled_by"] in [line.ref for line in story.moments]


def test_a_pull_tells_nothing_of_other_pulls(run: Run) -> None:
    story = pull_story(run.pk, replay.state(run.pk)["tables"], "1")
    assert all("#1" in line.what for line in story.moments if line.kind.startswith(("pull.", "review.")))


def test_a_worker_is_told_by_its_own_deeds(run: Run) -> None:
    story = worker_story(run.pk, 2)
    assert story.moments
    assert {line.who for line in story.moments} == {2}


@pytest.mark.parametrize("page", ["claims/1", "claims/2", "pulls/1", "pulls/6", "workers/1", "workers/4"])
def test_every_joined_page_links_to_the_raw_deliveries(run: Run, eve: Client, page: str) -> None:
    answer = eve.get(f"/runs/first-run/{page}")
    assert answer.status_code == 200
    assert f"/runs/{run.slug}/evidence/" in answer.text


@pytest.mark.parametrize("page", ["claims/999", "claims/nonsense", "pulls/999", "workers/999", "evidence/gitea/none"])
def test_what_the_run_does_not_have_is_a_404_that_says_so(run: Run, eve: Client, page: str) -> None:
    assert eve.get(f"/runs/first-run/{page}").status_code == 404


def test_every_evidence_reference_of_the_state_resolves_to_its_delivery(run: Run, eve: Client) -> None:
    tables = replay.state(run.pk)["tables"]
    refs = {ref for rows in tables.values() for row in rows.values() for ref in row.get("evidence", [])}
    assert len(refs) > 20
    for ref in sorted(refs):
        source, _, rest = ref.partition(":")
        assert eve.get(f"/runs/first-run/evidence/{source}/{rest.partition('#')[0]}").status_code == 200, ref

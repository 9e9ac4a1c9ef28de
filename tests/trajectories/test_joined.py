"""A claim's page joins note, messages, pull, reviews, merge and score; a pull's and a worker's likewise."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from django.template.loader import render_to_string
from django.test import Client

from runs.models import Run
from tests.fixtures.manifests import write_manifest
from trajectories import replay
from trajectories.bundle import import_bundle
from trajectories.events import millis
from trajectories.joined import claim_story, of_pull, pull_story, worker_story
from trajectories.joined.moments import moment
from trajectories.joined.pages import score_change
from trajectories.models import EventRow
from trajectories.newest import newest
from trajectories.sources.gitea import SWEPT
from trajectories.templatetags.joined import cut, review_word

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
STORIES = Path(__file__).resolve().parents[1] / "stories"


def kinds(story: object) -> list[str]:
    return [line.kind for line in story.moments]  # type: ignore[attr-defined]


def test_a_claim_is_told_from_its_note_to_the_score_after_its_merge(run: Run) -> None:
    story = claim_story(newest(run), 1)
    told = kinds(story)
    assert told[0] == "note.posted"
    assert told[-2:] == ["pull.merged", "checkpoint.scored"]
    assert {"message.posted", "branch.created", "pull.opened", "review.submitted"} <= set(told)
    assert story.sources == 4


def test_the_direct_message_that_settled_an_overlap_is_in_the_story(run: Run) -> None:
    found = newest(run)
    story = claim_story(found, 1)
    assert found.tables["claims"][1]["settled_by"] in [line.ref for line in story.moments]


def test_a_recovered_claim_tells_the_takers_branch_reviews_and_merge(run: Run, eve: Client) -> None:
    found = newest(run)
    [lost] = found.tables["recoveries"].values()
    story = claim_story(found, lost["from_claim"])
    taken = [line for line in story.moments if line.who == lost["to_worker"]]
    assert {"note.posted", "branch.created", "pull.opened"} <= {line.kind for line in taken}
    assert {"review.submitted", "pull.merged"} <= set(kinds(story))
    page = eve.get(f"/runs/first-run/claims/{lost['from_claim']}").text
    pull = next(row for row in found.tables["pulls"].values() if row["claim"] == lost["to_claim"])
    assert pull["head"] in page
    assert "Taken over by" in page


def test_a_checkpoint_that_was_skipped_is_no_score(run: Run) -> None:
    """A busy scorer skips; its row says 0 of 0, which nobody may read as nothing passed."""
    found = newest(run)
    pull = next(row for row in found.tables["pulls"].values() if row["merged_at"])
    told = score_change(found, [pull["number"]])
    assert told is not None
    some = told["after"]
    blank = {"passed": 0, "total": 0, "rate_ppm": None, "error_code": "skipped"}
    skipped = {k: {**some, **blank, "checkpoint": k, "at_s": some["at_s"] - 1} for k in (901,)}
    more = replace(found, tables={**found.tables, "checkpoints": {**found.tables["checkpoints"], **skipped}}, _read={})
    assert score_change(more, [pull["number"]]) == told
    line = moment(
        {"kind": "checkpoint.scored", "fields": {"checkpoint": 9, **blank}, "worker": None, "actor": None}
        | {"ref": "run:9", "source": "run", "id": "9"},
        9.0,
    )
    assert (line.what, line.text) == ("Checkpoint 9 has no score", "skipped")


def test_the_score_around_a_merge_is_told_as_before_and_after(run: Run) -> None:
    found = newest(run)
    pull = next(row for row in found.tables["pulls"].values() if row["merged_at"])
    told = score_change(found, [pull["number"]])
    assert told is not None
    assert told["passed"] == told["after"]["passed"] - (told["before"]["passed"] if told["before"] else 0)
    open_pull = next(row["number"] for row in found.tables["pulls"].values() if not row["merged_at"])
    assert score_change(found, [open_pull]) is None


def test_the_score_of_a_story_is_the_one_beside_it_also_when_an_older_one_was_told_late(run: Run) -> None:
    found = newest(run)
    merged = [number for number, row in found.tables["pulls"].items() if row["merged_at"]]
    late = EventRow.objects.filter(run_id=run.pk, kind="checkpoint.scored").order_by("at").last()
    assert late is not None and merged
    first = min(millis(found.tables["pulls"][number]["merged_at"]) for number in merged)
    # A checkpoint taken before every merge, whose score came only after one.
    EventRow.objects.filter(pk=late.pk).update(
        at=first + 1, fields=orjson.dumps({**orjson.loads(late.fields), "at_s": 1}).decode()
    )
    for number in merged:
        told = [line for line in pull_story(found, number).moments if line.kind == "checkpoint.scored"]
        assert late.n not in {EventRow.objects.get(run_id=run.pk, source="run", key=line.id).n for line in told}


def test_a_fail_after_the_merge_that_names_the_pull_belongs_to_it(run: Run) -> None:
    found = newest(run)
    tables = {name: dict(rows) for name, rows in found.tables.items()}
    note = {
        "note": 900,
        "worker": 3,
        "type": "FAIL",
        "text": "pull #1 breaks 1e5",
        "detail": None,
        "delegation_id": None,
    }
    tables["notes"][900] = {**note, "at": "2999-01-01T00:00:00.000Z"}
    tables["notes"][901] = {**note, "note": 901, "text": "pull #11 breaks", "at": "2999-01-01T00:00:00.000Z"}
    tables["notes"][902] = {**note, "note": 902, "at": "2000-01-01T00:00:00.000Z"}
    assert [row["note"] for row in of_pull(replace(found, tables=tables, settled=False, _read={}), 1).failures] == [900]


def test_a_pull_in_conflict_names_what_moved_its_base_each_with_its_delivery(eve: Client, tmp_path: Path) -> None:
    slug = imported_story("the_base_moves_under_a_pull", tmp_path)
    row = newest(Run.objects.get(slug=slug)).tables["pulls"][3]
    page, told = eve.get(f"/runs/{slug}/pulls/3").text, eve.get(f"/api/v1/runs/{slug}/pulls/3").json()
    assert [move["ref"] for move in told["clash"]["moves"]] == row["conflict_bases"] != []
    moved = page.split('id="h-clash"')[1].split("</section>")[0]
    for ref in row["conflict_bases"]:
        link = f"/runs/{slug}/evidence/{ref.replace(':', '/')}"
        assert link in moved
        assert eve.get(link).status_code == 200
    assert "2 moves of its base" in moved
    assert "02:50" in moved  # when the forge said so
    assert "h-clash" not in eve.get(f"/runs/{slug}/pulls/1").text


def imported_story(name: str, folder: Path) -> str:
    """The slug of a story of `tests/stories`, imported as a run."""
    shutil.copytree(STORIES / name / "deliveries", folder / "deliveries")
    run = {
        "name": name,
        "slug": name.replace("_", "-"),
        "workers": 8,
        "duration_s": 3_600,
        "model": "m",
        "task": "calc",
    }
    write_manifest(folder, run, "2027-01-15T08:00:00.000Z", None, scripted=True)
    import_bundle(folder)
    return str(Run.objects.get().slug)


def test_a_pull_tells_nothing_of_other_pulls(run: Run) -> None:
    story = pull_story(newest(run), 1)
    assert all("#1" in line.what for line in story.moments if line.kind.startswith(("pull.", "review.")))


def test_a_worker_is_told_by_its_own_deeds(run: Run) -> None:
    story = worker_story(newest(run), 2)
    assert story.moments
    assert {line.who for line in story.moments} == {2}


@pytest.mark.parametrize("page", ["claims/1", "claims/2", "pulls/1", "pulls/6", "workers/1", "workers/4"])
def test_every_joined_page_links_to_the_raw_deliveries(run: Run, eve: Client, page: str) -> None:
    answer = eve.get(f"/runs/first-run/{page}")
    assert answer.status_code == 200
    assert f"/runs/{run.slug}/evidence/" in answer.text


def test_an_event_that_proves_two_things_is_listed_once_and_says_so(run: Run) -> None:
    row = {"evidence": ["board:3", "gitea:a", "board:3"], "evidence_count": 3}
    listed = render_to_string("trajectories/_evidence_list.html", {"row": row, "run": run})
    assert (listed.count("<li>"), listed.count(">board:3<")) == (2, 1)
    assert listed.index("board:3") < listed.index("for 2 things") < listed.index("gitea:a")


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


def test_a_pulls_page_says_what_no_webhook_tells(run: Run, eve: Client) -> None:
    rows = newest(run).tables
    untold = {key.split(".")[0] for key, row in rows["reviews"].items() if row["status"] in ("dismissed", "stale", "withdrawn")}  # fmt: skip
    told = {key.split(".")[0] for key in rows["reviews"]} - untold
    assert untold and told
    for pulls, says in ((untold, True), (told, False)):
        page = eve.get(f"/runs/first-run/pulls/{min(pulls)}").text
        assert (SWEPT in page) is says


@pytest.mark.parametrize(
    ("verdict", "status", "word"),
    [
        ("approved", "standing", "approved"),
        ("approved", "withdrawn", "withdrawn"),
        ("approved", "stale", "stale"),
        ("changes_requested", "standing", "changes_requested"),
        ("changes_requested", "withdrawn", "lifted"),
        ("changes_requested", "dismissed", "lifted"),
    ],
)
def test_only_approvals_are_withdrawn_and_requests_for_changes_are_lifted(verdict: str, status: str, word: str) -> None:
    assert review_word({"verdict": verdict, "status": status}) == word


def test_a_list_that_leaves_lines_out_says_how_many() -> None:
    assert cut(40, list(range(57)), "/all") == (
        '<p class="sub more">40 of 57 shown; <a class="id" href="/all">the export has all</a>.</p>'
    )
    assert cut(40, 40) == ""


def test_every_list_a_page_cuts_is_followed_by_how_much_there_is() -> None:
    """Each `|slice` of a template that makes lines of a list stands before a `cut`, or a count of what is left."""
    silent = []
    for path in sorted(TEMPLATES.rglob("*.html")):
        text = path.read_text()
        for found in re.finditer(r"\{% for \w+ in ([\w.]+)\|slice:\":(\d+)\" %\}", text):
            name, most, after = found[1], found[2], text[found.end() :]
            told = (f"{{% cut {most} ", f"{name}|length > {most}", f"> {most} %", f"add:-{most}", "more %}")
            if not any(each in after for each in told):
                silent.append(f"{path.name}: {name}")
    assert silent == []

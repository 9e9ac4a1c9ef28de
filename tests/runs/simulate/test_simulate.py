"""A simulated run is a bundle like any other: deterministic, in native shapes, and says that it is simulated."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from runs.simulate import simulate
from runs.simulate.curve import TESTS, passed
from runs.simulate.wording import WORDINGS
from trajectories.events import KINDS
from trajectories.sources import SOURCES, source
from trajectories.sources.base import RawDelivery, Skipped


def lines(path: Path, name: str) -> list[dict]:
    with zipfile.ZipFile(path) as archive:
        return [json.loads(line) for line in archive.read(f"deliveries/{name}.jsonl").splitlines()]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("simulated") / "team.agrun.zip"
    simulate(16, 1.0, 5, path)
    return path


def test_equal_arguments_give_equal_bytes(bundle: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.agrun.zip"
    simulate(16, 1.0, 5, again)
    assert again.read_bytes() == bundle.read_bytes()


def test_another_seed_tells_another_story(bundle: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.agrun.zip"
    simulate(16, 1.0, 6, other)
    assert lines(other, "board") != lines(bundle, "board")


def test_the_manifest_says_simulated(bundle: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["origin"] == "simulated"
    assert "simulated" in manifest["run"]["name"]


def test_every_delivery_is_understood_by_its_source(bundle: Path) -> None:
    skipped = []
    for name in SOURCES:
        if name == "gateway":
            continue
        for line in lines(bundle, name):
            parsed = source(name).parse(RawDelivery(line["id"], line["seq"], 0, 0, line["body"], line["headers"]))
            if isinstance(parsed, Skipped):
                skipped.append(parsed.reason)
            else:
                assert {event.kind for event in parsed} <= set(KINDS)
    assert set(skipped) <= {"the text a post had before an edit"}


def test_published_scores_are_met_at_the_end() -> None:
    percent = {workers: round(passed(workers, 360, 360) / TESTS * 100, 2) for workers in (1, 8, 32, 128, 1024)}
    assert percent == pytest.approx({1: 33.89, 8: 41.75, 32: 43.11, 128: 50.94, 1024: 55.06}, abs=0.02)


@pytest.mark.parametrize(
    ("workers", "hours", "named"), [(0, 1, "--workers"), (70_000, 1, "--workers"), (8, 0, "--hours")]
)
def test_sizes_out_of_range_are_refused_by_name(workers: int, hours: float, named: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=named):
        simulate(workers, hours, 1, tmp_path / "no.agrun.zip")


def test_what_was_planted_is_told_beside_the_bundle_and_not_in_it(tmp_path: Path) -> None:
    path, truth = tmp_path / "team.agrun.zip", tmp_path / "planted.jsonl"
    facts = simulate(24, 2.0, 3, path, planted=truth)
    head, *told = [json.loads(line) for line in truth.read_text().splitlines()]
    assert head["origin"] == "simulated" and head["seed"] == 3
    kinds = {fact["kind"] for fact in told}
    assert {"overlap", "withdrawal", "recovery", "integrator", "interface"} <= kinds
    assert facts.happenings["overlap"] == sum(fact["kind"] == "overlap" for fact in told)
    with zipfile.ZipFile(path) as archive:
        assert not any("planted" in name for name in archive.namelist())


@pytest.mark.parametrize("name", WORDINGS)
def test_every_occasion_has_eight_phrasings_or_more(name: str) -> None:
    for occasion, (english, others) in WORDINGS[name].forms.items():
        assert len(set(english)) >= 8, occasion
        assert others, occasion
    assert len(set(WORDINGS[name].blames)) >= 8 and len(set(WORDINGS[name].mends)) >= 8


@pytest.mark.parametrize("held_out", ["held_out", "fresh"])
def test_what_is_held_out_shares_no_form_with_what_rules_were_read_against(held_out: str) -> None:
    others = [name for name in WORDINGS if name not in ("fresh", held_out)]
    seen = {form for name in others for both in WORDINGS[name].forms.values() for form in (*both[0], *both[1])}
    held = {form for both in WORDINGS[held_out].forms.values() for form in (*both[0], *both[1])}
    assert held and not {form.casefold().strip(".") for form in held} & {form.casefold().strip(".") for form in seen}
    for name in others:
        assert not set(WORDINGS[held_out].areas) & set(WORDINGS[name].areas)
        assert not set(WORDINGS[held_out].mends) & set(WORDINGS[name].mends)


def test_a_wording_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--wording"):
        simulate(8, 1.0, 1, tmp_path / "no.agrun.zip", wording="sung")


def test_shares_of_the_texts_are_as_promised(bundle: Path) -> None:
    notes = [line["body"] for line in lines(bundle, "board") if line["body"]["op"] == "note"]
    claims = [note for note in notes if note["type"] == "CLAIM"]
    bare = sum(note["delegation_id"] is None for note in claims) / len(claims)
    assert 0.1 < bare < 0.32
    assert any(line["body"]["op"] == "refused" for line in lines(bundle, "board"))
    moved = {
        item["msg"]["state"]
        for line in lines(bundle, "acp")
        for item in line["body"]["items"]
        if item["dir"] == "loop" and item["msg"]["kind"] == "inbox.moved"
    }
    assert moved == {"stored", "leased", "shown", "acknowledged"}

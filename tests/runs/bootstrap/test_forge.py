"""A forge is made ready once, whatever cuts the making off: each call is killed in the middle and the whole done again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from runs.bootstrap import forge as forges
from runs.bootstrap.accounts import ensure_accounts
from runs.bootstrap.forge import HOOK_EVENTS, Forge
from runs.bootstrap.secrets import Secrets
from tests.runs.bootstrap.cutting import Cutter, PowerCut
from tests.scenes.forges import ForgePlace, places, standing

HOOK = "http://127.0.0.1:9/ingest/a-run/gitea"


@pytest.fixture(scope="module", params=places())
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForgePlace]:
    with standing(request.param, tmp_path_factory.mktemp("forge")) as found:
        yield found


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    folder = tmp_path / "seed"
    folder.mkdir()
    (folder / "README.md").write_text("rill\n")
    return folder


def make_ready(forge: Forge, secrets: Secrets, seed: Path, names: list[str]) -> dict[str, Any]:
    forges.ensure_repository(forge, secrets, seed)
    forges.ensure_hook(forge, secrets, HOOK)
    return ensure_accounts(forge, secrets, names)


def what_is_there(place: ForgePlace, forge: Forge, names: list[str]) -> dict[str, Any]:
    """Everything bootstrap answers for, as the forge itself shows it."""
    with place.admin() as api:
        hooks = api.get(f"{forge.path}/hooks").json()
        rules = api.get(f"{forge.path}/branch_protections").json()
        return {
            "main": _commits(api, forge),
            "members": sorted(each["login"] for each in api.get(f"{forge.path}/collaborators").json()),
            "hooks": [
                (hook["config"]["url"], hook["active"], set(HOOK_EVENTS) <= set(hook["events"])) for hook in hooks
            ],
            "rules": [(rule["rule_name"], rule["enable_push"], rule["required_approvals"]) for rule in rules],
            "users": [api.get(f"/users/{name}").status_code for name in names],
        }


def _commits(api: httpx.Client, forge: Forge) -> int:
    """How many `main` has. A real forge books a push a moment after git has it, and says until then that there are none."""
    for _ in range(100):
        answer = api.get(f"{forge.path}/commits", params={"sha": "main"})
        if answer.is_success:
            break
        time.sleep(0.2)
    return len(answer.raise_for_status().json())


def wanted(names: list[str]) -> dict[str, Any]:
    return {
        "main": 1,
        "members": names,
        "hooks": [(HOOK, True, True)],
        "rules": [("main", False, 0)],
        "users": [200] * len(names),
    }


def tokens_work(place: ForgePlace, secrets: Secrets, names: list[str]) -> bool:
    def who(name: str) -> str:
        token = secrets.get(f"{name}.forge")
        answer = httpx.get(f"{place.url}/api/v1/user", headers={"Authorization": f"token {token}"}, trust_env=False)
        return str(answer.json().get("login"))

    return [who(name) for name in names] == names


@pytest.mark.faults
def test_every_call_cut_off_once_and_the_whole_done_again(
    place: ForgePlace, seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutter = Cutter(monkeypatch)
    first = place.forge("cut-0")
    make_ready(first, place.secrets(tmp_path / "0"), seed, ["cut-0-a", "cut-0-b"])
    calls = len(cutter.calls)
    assert calls > 12
    for at in range(1, calls + 1):
        for answered in (False, True):
            name = f"cut-{at}-{'after' if answered else 'before'}"
            forge, secrets = place.forge(name), place.secrets(tmp_path / name)
            names = [f"{name}-a", f"{name}-b"]
            cutter.arm(at, answered)
            with pytest.raises(PowerCut):
                make_ready(forge, secrets, seed, names)
            cut = cutter.calls[-1]
            cutter.arm(0, False)
            make_ready(forge, secrets, seed, names)
            assert what_is_there(place, forge, names) == wanted(names), cut
            assert tokens_work(place, secrets, names), cut


def test_doing_it_again_changes_nothing_and_costs_little(
    place: ForgePlace, seed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge, secrets = place.forge("again"), place.secrets(tmp_path / "again")
    names = [f"again-{n}" for n in range(6)]
    told: list[tuple[int, int]] = []
    forges.ensure_repository(forge, secrets, seed)
    forges.ensure_hook(forge, secrets, HOOK)
    made = ensure_accounts(forge, secrets, names, lambda done, of: told.append((done, of)))
    assert told == [(n, 6) for n in range(1, 7)]
    before = {name: secrets.get(f"{name}.forge") for name in names}
    cutter = Cutter(monkeypatch)
    again = make_ready(forge, secrets, seed, names)
    assert {name: user["id"] for name, user in again.items()} == {name: user["id"] for name, user in made.items()}
    assert {name: secrets.get(f"{name}.forge") for name in names} == before
    assert [call for call in cutter.calls if not call.startswith("GET ")] == []


def test_a_hook_that_was_changed_is_repaired_in_place(place: ForgePlace, seed: Path, tmp_path: Path) -> None:
    forge, secrets = place.forge("hooked"), place.secrets(tmp_path / "hooked")
    make_ready(forge, secrets, seed, ["hooked-a"])
    with place.admin() as api:
        [hook] = api.get(f"{forge.path}/hooks").json()
        # Naming no events leaves pushes alone: the trap that the repair must not step into.
        api.patch(f"{forge.path}/hooks/{hook['id']}", json={"active": False}).raise_for_status()
        [broken] = api.get(f"{forge.path}/hooks").json()
        assert (broken["active"], broken["events"]) == (False, ["push"])
        moved = {"url": "http://127.0.0.1:9/elsewhere", "content_type": "json"}
        api.patch(f"{forge.path}/hooks/{hook['id']}", json={"config": moved, "events": ["push"]}).raise_for_status()
    forges.ensure_hook(forge, secrets, HOOK)
    assert what_is_there(place, forge, ["hooked-a"])["hooks"] == [(HOOK, True, True)]
    with place.admin() as api:
        assert [each["id"] for each in api.get(f"{forge.path}/hooks").json()] == [hook["id"]]


def test_a_rule_that_was_changed_is_repaired(place: ForgePlace, seed: Path, tmp_path: Path) -> None:
    forge, secrets = place.forge("ruled"), place.secrets(tmp_path / "ruled")
    forges.ensure_repository(forge, secrets, seed)
    with place.admin() as api:
        api.patch(f"{forge.path}/branch_protections/main", json={"required_approvals": 3}).raise_for_status()
    forges.ensure_repository(forge, secrets, seed)
    assert what_is_there(place, forge, [])["rules"] == [("main", False, 0)]


def test_what_the_page_is_told_may_end_the_work(place: ForgePlace, seed: Path, tmp_path: Path) -> None:
    class Cancelled(Exception):
        pass

    def stop(done: int, of: int) -> None:
        raise Cancelled

    forge, secrets = place.forge("stopped"), place.secrets(tmp_path / "stopped")
    names = [f"stopped-{n:02}" for n in range(40)]
    forges.ensure_repository(forge, secrets, seed)
    with pytest.raises(Cancelled):
        ensure_accounts(forge, secrets, names, stop)
    with place.admin() as api:
        made = {each["login"] for each in api.get(f"{forge.path}/collaborators", params={"limit": 50}).json()}
    assert len(made) < 40  # what had not begun was not begun
    assert sorted(ensure_accounts(forge, secrets, names)) == names


def test_the_first_token_is_the_one_the_start_left(place: ForgePlace, tmp_path: Path) -> None:
    left = tmp_path / "admin.token"
    left.write_text("from the start script\n")
    forge = replace(place.forge("first"), first_token=left)
    assert forges.ensure_admin_token(forge, Secrets(tmp_path / "first")) == "from the start script"

"""The forge speaks Gitea: every call is official, every answer has the official type, every listed call works."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from standins.forge.app import CALLS
from standins.forge.handlers import HANDLERS
from tests.docker.standins.official import gitea_problems, routes
from tests.docker.standins.service import PASSWORD, running
from tests.docker.standins.team import ForgeTeam, said

OFFICIAL = routes("gitea")


def test_every_call_is_an_official_one_with_the_official_answer() -> None:
    for call in CALLS:
        official = OFFICIAL[(call["method"], call["route"])]
        assert call["operation"] == official["operation"]
        assert call["answers"] == {code: kind for code, kind in official["responses"].items() if code.startswith("2")}
        assert call["query"] == official["query"]


def test_list_and_handlers_are_the_same() -> None:
    assert set(HANDLERS.found) == {(call["method"], call["route"]) for call in CALLS}


class Witness:
    """Sees every answer of the API and holds it against the official type."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()
        self.problems: list[str] = []

    def __call__(self, answer: httpx.Response) -> None:
        path = answer.request.url.path.removeprefix("/api/v1")
        found = _matching(answer.request.method, path)
        if found is None or answer.status_code >= 400:
            return
        answer.read()
        self.seen.add((found["method"], found["route"]))
        kind: Any = found["answers"].get(str(answer.status_code), "an unlisted code")
        if kind is None:
            self.problems += [f"{path}: a body where none is"] if answer.content else []
        elif kind == "str":
            self.problems += [] if answer.text else [f"{path}: empty"]
        else:
            self.problems += [f"{answer.request.method} {path}: {each}" for each in gitea_problems(kind, answer.json())]


def _matching(method: str, path: str) -> dict[str, Any] | None:
    fitting = [
        call
        for call in CALLS
        if call["method"] == method
        and re.fullmatch(re.sub(r"\\{(\w+)\\}", lambda m: _PARTS.get(m[1], "[^/]+"), re.escape(call["route"])), path)
    ]
    return max(fitting, key=lambda call: call["route"].count("/") * 100 - call["route"].count("{"), default=None)


_PARTS = {"index": r"\d+", "id": r"\d+", "branch": ".+", "diffType": "diff|patch"}


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Witness:
    """A life of a team that makes every listed call at least once."""
    seen = Witness()
    folder = tmp_path_factory.mktemp("contract")
    with running("standins.forge", folder) as service:
        team = ForgeTeam(service, folder / "clones", event_hooks={"response": [seen]})
        _live(team)
        for client in team.api.values():
            client.close()
    return seen


def _live(team: ForgeTeam) -> None:
    api, repo = team.api, team.repo
    admin, one, two = api["agensh"], api["w0001"], api["w0002"]
    for path in ("/version", "/settings/api", "/user", "/users/w0001", "/orgs/team", repo):
        said(admin.get(path))
    hook = team.hook("http://127.0.0.1:9/nobody")["id"]
    said(admin.patch(f"{repo}/hooks/{hook}", json={"active": True, "events": ["push", "pull_request"]}))
    said(admin.delete(f"{repo}/hooks/{team.hook('http://127.0.0.1:9/second')['id']}"))
    said(admin.get(f"{repo}/hooks"))
    said(admin.get(f"{repo}/collaborators"))
    said(admin.get("/admin/users"))
    said(admin.post(f"{repo}/branch_protections", json={"rule_name": "release/*", "required_approvals": 1}))
    said(admin.get(f"{repo}/branch_protections"))
    said(admin.post(f"{repo}/branch_protections", json={"rule_name": "stable"}))
    said(admin.patch(f"{repo}/branch_protections/stable", json={"required_approvals": 2}))
    team.commit("w0001", "w0001/n1", {"lexer.txt": "tokens\n"}, "Add the lexer")
    first = team.pull("w0001", "w0001/n1", body="Claim: n1")
    said(one.post(f"{repo}/pulls/{first}/requested_reviewers", json={"reviewers": ["w0002", "w0003"]}))
    said(one.get(f"{repo}/pulls/{first}/reviews"))
    said(one.request("DELETE", f"{repo}/pulls/{first}/requested_reviewers", json={"reviewers": ["w0003"]}))
    review = team.review("w0002", first)["id"]
    said(two.get(f"{repo}/pulls/{first}/reviews/{review}"))
    inline = {"event": "COMMENT", "comments": [{"path": "lexer.txt", "body": "why?", "new_position": 1}]}
    noted = said(api["w0003"].post(f"{repo}/pulls/{first}/reviews", json=inline))["id"]
    said(two.get(f"{repo}/pulls/{first}/reviews/{noted}/comments"))
    said(two.post(f"{repo}/pulls/{first}/reviews/{review}/dismissals", json={"message": "1e5 fails"}))
    said(two.post(f"{repo}/pulls/{first}/reviews/{review}/undismissals"))
    said(two.delete(f"{repo}/pulls/{first}/reviews/{review}"))
    comment = said(two.post(f"{repo}/issues/{first}/comments", json={"body": "looks good"}))["id"]
    said(two.patch(f"{repo}/issues/comments/{comment}", json={"body": "looks very good"}))
    said(two.get(f"{repo}/issues/{first}/comments"))
    said(two.delete(f"{repo}/issues/comments/{comment}"))
    said(one.patch(f"{repo}/pulls/{first}", json={"title": "Lexer", "body": "Claim: n1\n"}))
    for what in ("", "/commits", "/files", ".diff", "/reviews"):
        said(one.get(f"{repo}/pulls/{first}{what}"))
    team.merge("w0002", first)
    said(one.get(f"{repo}/pulls/{first}/merge"))
    for what in ("/pulls?state=all", "/issues?type=pulls&state=all", f"/issues/{first}/timeline", "/branches",
                 "/branches/w0001/n1", "/git/refs", "/commits?sha=main"):  # fmt: skip
        said(one.get(repo + what))
    said(one.delete(f"{repo}/branches/w0001/n1"))


def test_every_answer_has_the_official_type(witness: Witness) -> None:
    assert not witness.problems, "\n".join(witness.problems[:20])


def test_every_listed_call_was_made(witness: Witness) -> None:
    assert witness.seen == {(call["method"], call["route"]) for call in CALLS}


def test_a_call_outside_the_list_is_refused_and_recorded(forge: ForgeTeam) -> None:
    assert forge.api["w0001"].get(f"{forge.repo}/releases").status_code == 404
    outside = [call for call in forge.service.calls() if call["route"] is None]
    assert {"method": "GET", "route": None, "status": 404, "path": "/api/v1/repos/team/calc/releases"} in outside


def test_errors_look_like_giteas(forge: ForgeTeam) -> None:
    answer = forge.api["w0001"].get(f"{forge.repo}/pulls/999")
    assert answer.status_code == 404
    assert set(answer.json()) == {"message", "url", "errors"}


def test_tokens_are_minted_with_a_password_only(forge: ForgeTeam) -> None:
    asked = {"name": "another", "scopes": ["all"]}
    assert forge.api["w0001"].post("/users/w0001/tokens", json=asked).status_code == 401
    assert forge.api["w0001"].post("/users/w0001/tokens", json=asked, auth=("w0001", PASSWORD)).status_code == 201
    assert forge.api["w0001"].post("/users/w0002/tokens", json=asked, auth=("w0001", PASSWORD)).status_code == 403


def test_a_stranger_sees_no_private_repository(forge: ForgeTeam) -> None:
    url = f"{forge.service.url}/api/v1{forge.repo}"
    assert httpx.get(url).status_code == 404
    assert httpx.get(url, headers={"Authorization": "token nonsense"}).status_code == 401


def test_lists_come_in_pages_of_fifty_at_most(forge: ForgeTeam) -> None:
    for n in range(3):
        forge.commit("w0003", f"w0003/page{n}", {f"page{n}.txt": "x\n"}, "Page")
    answer = forge.api["w0003"].get(f"{forge.repo}/branches", params={"limit": 2, "page": 1})
    assert len(answer.json()) == 2
    assert int(answer.headers["X-Total-Count"]) >= 4
    assert 'rel="next"' in answer.headers["Link"]
    assert said(forge.api["w0003"].get("/settings/api"))["max_response_items"] == 50


def test_broken_bodies_get_an_answer(forge: ForgeTeam) -> None:
    api = forge.api["w0001"]
    for body in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"title": 7, "head": "x"}', b'"text"'):
        answer = api.post(f"{forge.repo}/pulls", content=body)
        assert 400 <= answer.status_code < 500, (body[:20], answer.text)


def test_the_data_files_are_small() -> None:
    for name in ("gitea_routes", "mattermost_routes"):
        path = Path(__file__).parents[2] / "fixtures" / "contracts" / f"{name}.json"
        assert len(json.loads(path.read_text("utf-8"))) < 60

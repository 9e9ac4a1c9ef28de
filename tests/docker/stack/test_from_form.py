"""A person picks `compose` in the form and launches eight workers; the team runs to its end in containers that reach nothing else."""

from __future__ import annotations

import json
import re
import tarfile
from io import BytesIO

import pytest
from playwright.sync_api import Page, expect

from tests.docker.stack import short_task
from tests.docker.stack.engine import docker
from tests.docker.stack.production import Production
from tests.docker.stack.proof import complete, nothing_left
from tests.docker.stack.secrecy import shown
from tests.e2e.browser import chromium
from trajectories.bench.entering import by_page

pytestmark = pytest.mark.docker
PYTHON = "/opt/agensh/venv/bin/python"
CONNECT = "import socket; socket.setdefaulttimeout(3); socket.create_connection(({!r}, {}))"


def test_eight_workers_from_the_form_to_the_end(production: Production) -> None:
    with chromium() as browser:
        page = browser.new_page()
        slug = launched_by_hand(production, page)
        production.wait(slug, "running", 120)
        only_the_team_is_in_reach(production, slug)
        nothing_secret_is_shown(production, slug)
        told = production.wait(slug, "ended", 240)
        page.goto(f"{production.url}/runs/{slug}/")
        expect(page.locator("#clock")).to_contain_text("Lasted")
    assert told["reason"] == "all tests pass and every pull is settled"
    assert told["score"]["passed"] == told["score"]["total"] > 10
    workers = production.table(slug, "workers")
    assert len(workers) == 8 and all(row["steps"] > 0 for row in workers.values())
    sampled = {sample["worker"] for sample in production.events(slug, "usage.sampled")}
    assert len(sampled) >= 4, "every ten seconds, of a team that takes forty"
    complete(production, slug)
    nothing_left(production)
    the_submission_is_the_teams_main(production, slug, told)
    it_says_what_ran(told)


def launched_by_hand(production: Production, page: Page) -> str:
    production.manage("add_person", "ada", "--role", "admin")
    link = production.manage("sign_in_link", "ada").split()[-1]
    by_page(page, production.url + link[link.index("/sign-in/") :])
    page.goto(f"{production.url}/runs/new")
    page.get_by_label("Demo team").check()
    page.get_by_label("Name", exact=True).fill("By hand")
    page.get_by_label("Task", exact=True).select_option(short_task.NAME)
    page.evaluate("for (const part of document.querySelectorAll('form details')) part.open = true")
    page.get_by_label("Backend").select_option("compose")
    page.get_by_label("Checkpoint every").fill("10")
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_role("heading", name=re.compile("Launching"))).to_be_visible()
    page.wait_for_url("**/runs/by-hand-1/", timeout=120_000)
    return "by-hand-1"


def only_the_team_is_in_reach(production: Production, slug: str) -> None:
    worker = production.container(slug, "w0001")
    told = json.loads(docker("inspect", worker))[0]
    host = told["HostConfig"]
    assert host["Privileged"] is False and host["CapDrop"] == ["ALL"] and host["ReadonlyRootfs"] is True
    assert host["SecurityOpt"] == ["no-new-privileges:true"] and host["PidsLimit"] > 0 and host["Memory"] > 0
    project = told["Config"]["Labels"]["com.docker.compose.project"]
    docker("exec", worker, PYTHON, "-c", CONNECT.format(f"{project}-board", 8000))
    for host_name, port in (("web", 8000), ("postgres", 5432), ("redis", 6379), ("192.0.2.1", 80)):
        with pytest.raises(AssertionError, match=r"gaierror|[Tt]imed? ?out|unreachable|not known"):
            docker("exec", worker, PYTHON, "-c", CONNECT.format(host_name, port))


def nothing_secret_is_shown(production: Production, slug: str) -> None:
    """No secret of the run or of the app stands in any container's inspection, environment or arguments."""
    code = f"from runs.folder import RunFolder; p = RunFolder.of({slug!r}).path / 'secrets'; "
    code += "import json; print(json.dumps([f.read_text().strip() for f in p.iterdir()]))"
    secrets = set(json.loads(production.manage("shell", "--no-imports", "-c", code).splitlines()[-1]))
    secrets |= {path.read_text() for path in (production.folder / "secrets").iterdir()}
    assert len(secrets) > 20
    told = shown()
    assert [secret for secret in secrets if len(secret) > 8 and secret in told] == []


def the_submission_is_the_teams_main(production: Production, slug: str, told: dict) -> None:  # type: ignore[type-arg]
    answer = production.http.get(f"/runs/{slug}/submission")
    assert answer.status_code == 200 and 'filename="' in answer.headers["content-disposition"]
    kept = told["provenance"]["salvaged"]
    assert kept["fetched"] is True and kept["interrupted"] is False
    with tarfile.open(fileobj=BytesIO(answer.content)) as archive:
        names = archive.getnames()
    assert {"build.sh", "rillib/commands.py"} <= set(names)
    assert {f"rillib/{name}.py" for name in short_task.KEPT} <= set(names)
    assert kept["submission"]["bytes"] == len(answer.content) and kept["commit"] == told["score"]["commit"]


def it_says_what_ran(told: dict) -> None:  # type: ignore[type-arg]
    ran = told["provenance"]
    assert ran["images"]["worker"]["id"].startswith("sha256:") and ran["images"]["forge"]["standin"] is True
    assert ran["release"] and ran["evaluator"] == "suite" and ran["configuration"]["backend"] == "compose"

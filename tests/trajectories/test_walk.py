"""Every link of every page of a run leads somewhere, and whatever a page says opens its evidence down to the raw delivery."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

from django.test import Client

from runs.models import Run
from trajectories import replay

ALIKE = 12  # addresses of one form that differ in their query alone, such as moments of the replay
OURS = re.compile(r"^/(?:runs/first-run/|api/v1/runs/first-run/|search|compare|decided$|$)")
REF = re.compile(r"^(?:run|board|mattermost|gitea|gateway|acp):[A-Za-z0-9._~@-]+(?:#\d+)?$")


class Links(HTMLParser):
    """The addresses a page leads to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`a` only: what a page is made of is another test's."""
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def walked(eve: Client, start: str) -> dict[str, int]:
    """Address to the status it answered, of all that can be reached from a page of the run over its own pages."""
    answers: dict[str, int] = {}
    alike: Counter[str] = Counter()
    waiting = deque([start])
    while waiting:
        address = waiting.popleft()
        path = urlsplit(address).path
        if address in answers or alike[path] >= ALIKE:
            continue
        alike[path] += 1
        answer = eve.get(address)
        answers[address] = answer.status_code
        if path.startswith("/runs/first-run/") and answer.get("Content-Type", "").startswith("text/html"):
            links = (urldefrag(urljoin(address, link))[0] for link in Links(answer.text).found)
            waiting.extend(link for link in links if OURS.match(link))
    return answers


def test_every_link_of_every_page_of_a_run_answers(run: Run, eve: Client) -> None:
    answers = walked(eve, "/runs/first-run/")
    wrong = {address: status for address, status in answers.items() if status != 200}
    assert wrong == {}
    forms = Counter(re.sub(r"\d+", "N", urlsplit(address).path) for address in answers)
    for form in ("claims/N", "pulls/N", "workers/N", "workers/N/transcript", "evidence/board/N", "proof/claims/N"):
        assert forms[f"/runs/first-run/{form}"], form
    assert len(answers) > 300


def test_every_reference_anywhere_in_the_state_opens_its_delivery(run: Run, eve: Client) -> None:
    refs = set(_refs(replay.state(run.pk)["tables"]))
    assert len(refs) > 30
    for ref in sorted(refs):
        source, _, rest = ref.partition(":")
        told = eve.get(f"/api/v1/runs/first-run/evidence/{source}/{rest.partition('#')[0]}")
        assert told.status_code == 200, ref
        assert told.json()["delivery"]["body"] not in (None, {}), ref


def test_every_sentence_of_the_summary_leads_to_what_shows_it(run: Run, eve: Client) -> None:
    for section in eve.get("/api/v1/runs/first-run/summary").json()["sections"]:
        for each in section["statements"]:
            assert each["proof"] or each["link"] is not None, each["text"]
            if each["link"] is not None:
                address = each["link"] if each["link"].startswith("/") else f"/runs/first-run/{each['link']}"
                assert eve.get(urldefrag(address)[0]).status_code == 200, each
            if each["proof"] and each["refs"]:
                assert "/runs/first-run/evidence/" in eve.get(f"/runs/first-run/{each['proof']}").text, each


def _refs(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from _refs(each)
    elif isinstance(value, list):
        for each in value:
            yield from _refs(each)
    elif isinstance(value, str) and REF.match(value):
        yield value

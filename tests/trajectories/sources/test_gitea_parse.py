"""What is read from the forge's deliveries."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trajectories.sources.fixtures import expected, shown, situation, situations
from trajectories.events import KINDS
from trajectories.sources import gitea
from trajectories.sources.base import RawDelivery, Skipped
from trajectories.sources.gitea.hooks import fingerprint

TYPES = [
    "push", "create", "delete", "pull_request", "pull_request_sync", "pull_request_review_request",
    "pull_request_review_approved", "pull_request_review_rejected", "pull_request_review_comment",
    "pull_request_comment", "issue_comment", "status",
]  # fmt: skip


@pytest.mark.parametrize("stem", situations("gitea"))
def test_a_delivery_says_what_its_fixture_says(stem: str) -> None:
    delivery, told = situation("gitea", stem)
    assert shown(gitea.parse(delivery)) == expected(told)


@pytest.mark.parametrize("stem", situations("gitea"))
def test_events_keep_the_place_of_their_delivery_and_declare_their_fields(stem: str) -> None:
    delivery, _ = situation("gitea", stem)
    parsed = gitea.parse(delivery)
    for event in [] if isinstance(parsed, Skipped) else parsed:
        assert (event.at, event.source, event.seq, event.id) == (delivery.at, "gitea", 42, "fixture")
        assert event.worker is None
        assert KINDS[event.kind].source == "gitea"
        beside = {
            "actor_id",
            "author_id",
            "reviewer_id",
            "merged_by_id",
            "event_uuid",
            "fingerprint",
            "author",
            "reviews",
        }
        assert set(event.fields) - set(KINDS[event.kind].fields) <= beside


def test_the_same_words_mean_two_things_and_the_event_type_decides() -> None:
    review, _ = situation("gitea", "pull_request_review_comment__inline_with_empty_content")
    comment, _ = situation("gitea", "pull_request_comment__created")
    assert [event.kind for event in gitea.parse(review)] == ["review.submitted"]  # type: ignore[union-attr]
    assert [event.kind for event in gitea.parse(comment)] == ["comment.posted"]  # type: ignore[union-attr]


def test_headers_are_found_whatever_their_case() -> None:
    delivery, told = situation("gitea", "create__branch")
    lower = RawDelivery(
        "fixture", 42, delivery.at, 0, delivery.body, {k.lower(): v for k, v in delivery.headers.items()}
    )
    assert shown(gitea.parse(lower)) == expected(told)


def test_equal_bodies_have_equal_fingerprints_except_pushes() -> None:
    body: dict[str, Any] = {"b": 1, "a": [1, {"d": 2, "c": 3}]}
    assert fingerprint("create", body) == fingerprint("create", json.loads('{"a":[1,{"c":3,"d":2}],"b":1}'))
    assert fingerprint("create", body) != fingerprint("delete", body)
    delivery, _ = situation("gitea", "push__two_commits")
    [push] = gitea.parse(delivery)  # type: ignore[misc]
    assert push.fields["fingerprint"] is None


def test_a_signature_is_over_the_raw_bytes_and_an_empty_one_is_refused() -> None:
    body = b'{\n  "a": 1\n}'
    good = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    assert gitea.verify("secret", body, {"X-Gitea-Signature": good})
    assert gitea.verify("secret", body, {"x-gitea-signature": good.upper()})
    assert not gitea.verify("secret", json.dumps(json.loads(body)).encode(), {"X-Gitea-Signature": good})
    assert not gitea.verify("secret", body, {"X-Gitea-Signature": ""})
    assert not gitea.verify("secret", body, {})
    assert not gitea.verify("", body, {"X-Gitea-Signature": hmac.new(b"", body, hashlib.sha256).hexdigest()})
    assert not gitea.verify("secret", body, {"X-Gitea-Signature": "sha256=" + good})
    assert not gitea.verify("secret", body, {"X-Gitea-Signature": "é"})


def test_a_webhook_becomes_a_delivery_only_under_a_usable_id() -> None:
    headers = {"X-Gitea-Delivery": "5f0f2a52-9a3c", "X-Gitea-Event-Type": "push", "X-Gitea-Signature": "x"}
    made = gitea.hook_delivery(headers, b'{"ref": "refs/heads/main"}', 1_000, 7)
    assert made == RawDelivery(
        "5f0f2a52-9a3c", 7, 1_000, 1_000, {"ref": "refs/heads/main"},
        {"X-Gitea-Event-Type": "push", "X-Gitea-Delivery": "5f0f2a52-9a3c"},
    )  # fmt: skip
    assert gitea.hook_delivery({**headers, "X-Gitea-Delivery": "../../x"}, b"{}", 1, 1) is None
    broken = gitea.hook_delivery(headers, b"\xff[" * 100_000, 1, 1)
    assert broken is not None
    assert isinstance(gitea.parse(broken), Skipped)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=12,
)
NAMES = st.sampled_from(
    [
        "action",
        "number",
        "pull_request",
        "review",
        "sender",
        "ref",
        "before",
        "after",
        "ref_type",
        "sha",
        "commits",
        "comment",
        "issue",
        "is_pull",
        "merged",
        "state",
        "title",
        "body",
        "user",
        "head",
        "base",
        "pull",
        "reviews",
        "timeline",
        "branches",
        "id",
        "login",
        "content",
        "requested_reviewer",
        "repository",
    ]
)
BODIES = st.recursive(
    JSON, lambda inner: st.dictionaries(NAMES, inner, max_size=8) | st.lists(inner, max_size=3), max_leaves=20
)


@settings(max_examples=300, deadline=None)
@given(BODIES, st.sampled_from(TYPES), st.sampled_from([{}, {"X-Agensh-Sweep": "pull"}, {"X-Agensh-Sweep": "refs"}]))
def test_parse_is_total(body: Any, event_type: str, sweep: dict[str, str]) -> None:
    parsed = gitea.parse(RawDelivery("x", 1, 1, 1, body, {"X-Gitea-Event-Type": event_type, **sweep}))
    assert isinstance(parsed, (Skipped, list))

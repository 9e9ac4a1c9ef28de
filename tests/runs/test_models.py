"""The run as a state machine, its outbox, leases, tokens and actions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from runs.models import MOVES, Action, ApiToken, IllegalMove, Run, SignInLink, WorkerToken
from tests.runs.factories import make_person, make_run

pytestmark = pytest.mark.django_db


def kinds(run: Run) -> list[str]:
    return list(run.run_events.values_list("kind", flat=True))


@pytest.mark.parametrize("status", MOVES)
@pytest.mark.parametrize("target", MOVES)
def test_only_legal_moves_are_made(status: str, target: str) -> None:
    run = make_run(status=status)
    if target in MOVES[status]:
        run.move(target)
    else:
        with pytest.raises(IllegalMove, match=f"is {status}"):
            run.move(target)
    assert Run.objects.get().status == (target if target in MOVES[status] else status)


def test_run_goes_from_draft_to_its_end_and_tells_it() -> None:
    run = make_run()
    run.move("preflight")
    run.enter_phase("preflight")
    run.move("starting")
    run.start_clock(standins=["forge"])
    assert run.stop("ended", "the time was up") is True
    assert run.stop("failed", "later") is False
    run.finish()
    assert kinds(run) == ["run.phase_changed", "run.started", "run.phase_changed", "run.ended"]
    started = run.run_events.get(kind="run.started")
    assert started.fields["claim_ttl_s"] == 60
    assert started.fields["standins"] == ["forge"]
    assert started.at == int(run.started_at.timestamp() * 1000)
    assert (run.status, run.reason, run.lease_holder) == ("ended", "the time was up", "")


def test_events_are_numbered_densely_also_by_stale_copies_of_the_run() -> None:
    run = make_run()
    stale = Run.objects.get()
    run.record("run.ticked")
    stale.record("run.ticked")
    run.record("run.ticked")
    assert list(run.run_events.values_list("n", flat=True)) == [1, 2, 3]


def test_entering_the_same_phase_twice_is_one_event() -> None:
    run = make_run(status="starting")
    run.enter_phase("services")
    Run.objects.get().enter_phase("services")
    assert kinds(run) == ["run.phase_changed"]


def test_lease_is_held_by_one_and_taken_over_when_it_ran_out() -> None:
    run = make_run()
    assert run.take_lease("a", 60)
    assert run.take_lease("a", 60)
    assert not run.take_lease("b", 60)
    Run.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert run.take_lease("b", 60)
    run.drop_lease("a")
    assert not run.take_lease("a", 60)


def test_cancel_is_a_column_an_action_and_an_event_with_the_persons_name() -> None:
    run, ada = make_run(status="running"), make_person("ada", "operator")
    assert Action.take(run, "cancel", person=ada, person_name="ada") is not None
    run.refresh_from_db()
    assert run.cancel_requested_at is not None
    assert run.run_events.get().fields == {"person": "ada", "action": "cancel", "target": ""}


def test_nothing_can_be_done_to_a_run_that_is_over() -> None:
    run = make_run(status="ended")
    assert Action.take(run, "cancel", person=None, person_name="ada") is None
    assert kinds(run) == []


def test_tokens_are_stored_as_hashes_only() -> None:
    run = make_run()
    worker, (api, row) = WorkerToken.mint(run, 3, 1), ApiToken.mint("ci", "viewer")
    assert worker.startswith("agw_")
    assert api.startswith("agt_")
    found = WorkerToken.find(worker)
    assert found is not None
    assert (found.run, found.worker, found.life) == (run, 3, 1)
    assert worker not in str(WorkerToken.objects.values())
    assert api not in str(ApiToken.objects.values())
    row.revoke()
    assert ApiToken.find(api) is None


def test_sign_in_link_works_once_and_not_for_the_disabled() -> None:
    ada = make_person("ada", "admin")
    link = SignInLink.mint(ada)
    assert SignInLink.redeem(link) == ada
    assert SignInLink.redeem(link) is None
    assert SignInLink.redeem("nonsense") is None
    ada.is_active = False
    ada.save()
    assert SignInLink.redeem(SignInLink.mint(ada)) is None
    assert SignInLink.redeem(SignInLink.mint(ada, minutes=-1)) is None

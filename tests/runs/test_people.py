"""Into the app and out again; who may change whom."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.utils import timezone

from runs import people
from runs.access import role_of
from runs.models import ApiToken, SignInLink
from tests.runs.factories import make_person

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse 9"


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_person_signs_in_with_a_password_and_out_again() -> None:
    people.add("ada", "viewer", PASSWORD)
    client = Client()
    assert client.post("/sign-in", {"username": "ada", "password": "wrong"}).status_code == 200
    assert client.post("/sign-in", {"username": "ada", "password": PASSWORD})["Location"] == "/"
    assert client.get("/").status_code == 200
    client.post("/sign-out")
    assert client.get("/")["Location"].startswith("/sign-in")


def test_sign_in_leads_back_to_where_one_came_from_but_nowhere_else() -> None:
    people.add("ada", "viewer", PASSWORD)
    for asked, led in (("/compare", "/compare"), ("https://evil.invalid/", "/"), ("//evil.invalid", "/")):
        answer = Client().post("/sign-in", {"username": "ada", "password": PASSWORD, "next": asked})
        assert answer["Location"] == led


def test_link_signs_in_once_and_within_its_hour() -> None:
    ada = make_person("ada", "admin")
    token = SignInLink.mint(ada)
    first = Client()
    assert first.post(f"/sign-in/link/{token}")["Location"] == "/"
    assert first.get("/people").status_code == 200
    for method in (Client().get, Client().post):
        assert method(f"/sign-in/link/{token}").status_code == 410
    late = SignInLink.mint(ada)
    SignInLink.objects.filter(used_at=None).update(expires_at=timezone.now() - timedelta(seconds=1))
    for method in (Client().get, Client().post):
        assert method(f"/sign-in/link/{late}").status_code == 410
    assert token not in str(list(SignInLink.objects.values()))


def test_opening_a_link_spends_nothing_and_offers_one_button_with_the_focus() -> None:
    """Mail scanners, previews and prefetching browsers open links."""
    token = SignInLink.mint(make_person("ada", "admin"))
    assert Client().head(f"/sign-in/link/{token}").status_code == 405
    scanner = Client()
    for _ in range(3):
        page = scanner.get(f"/sign-in/link/{token}")
        assert (page.status_code, page["Cache-Control"]) == (
            200,
            "max-age=0, no-cache, no-store, must-revalidate, private",
        )
    assert scanner.get("/people").status_code == 302
    assert page.content.decode().count("<button class=") == 2  # the theme's and this
    assert 'type="submit" autofocus>Sign in' in page.content.decode()
    assert Client(enforce_csrf_checks=True).post(f"/sign-in/link/{token}").status_code == 403
    assert Client().post(f"/sign-in/link/{token}")["Location"] == "/"


def test_a_link_of_a_disabled_person_is_no_link() -> None:
    ada = make_person("ada", "admin")
    token = SignInLink.mint(ada)
    ada.is_active = False
    ada.save()
    assert Client().get(f"/sign-in/link/{token}").status_code == 410


def test_ten_wrong_passwords_lock_the_name_for_a_while() -> None:
    people.add("ada", "viewer", PASSWORD)
    client = Client()
    answers = [client.post("/sign-in", {"username": "ada", "password": "wrong"}).status_code for _ in range(10)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert client.post("/sign-in", {"username": "ada", "password": PASSWORD}).status_code == 429


def test_admin_adds_a_person_and_hands_over_a_link() -> None:
    admin = signed_in(make_person("ada", "admin"))
    page = admin.post("/people/add", {"name": "ben", "role": "operator"}).content.decode()
    link = page.split('<code id="link">')[1].split("</code>")[0]
    ben = Client()
    assert ben.post(link.removeprefix("http://testserver")).status_code == 302
    assert ben.get("/runs/new").status_code == 200
    assert role_of(User.objects.get(username="ben")) == "operator"


def test_page_says_why_a_person_cannot_be_added() -> None:
    admin = signed_in(make_person("ada", "admin"))
    assert "already a person" in admin.post("/people/add", {"name": "ADA", "role": "viewer"}).content.decode()
    answer = admin.post("/people/add", {"name": "ben", "role": "viewer", "password": "short"})
    assert answer.status_code == 422
    assert "at least 10 characters" in answer.content.decode()
    assert not User.objects.filter(username="ben").exists()


def test_disabled_person_is_out_at_once_and_can_be_let_in_again() -> None:
    admin, eve = signed_in(make_person("ada", "admin")), make_person("eve", "viewer")
    hers = signed_in(eve)
    assert hers.get("/").status_code == 200
    admin.post(f"/people/{eve.pk}/disable")
    assert hers.get("/")["Location"].startswith("/sign-in")
    admin.post(f"/people/{eve.pk}/enable")
    assert signed_in(User.objects.get(pk=eve.pk)).get("/").status_code == 200


def test_changed_role_holds_with_the_next_request() -> None:
    admin, ben = signed_in(make_person("ada", "admin")), make_person("ben", "operator")
    his = signed_in(ben)
    assert his.get("/runs/new").status_code == 200
    admin.post(f"/people/{ben.pk}/role", {"role": "viewer"})
    assert his.get("/runs/new").status_code == 403
    admin.post(f"/people/{ben.pk}/role", {"role": "emperor"})
    assert role_of(User.objects.get(pk=ben.pk)) == "viewer"


def test_signing_out_everywhere_ends_every_session_of_that_person_only() -> None:
    ada, ben = make_person("ada", "admin"), make_person("ben", "viewer")
    admin, first, second = signed_in(ada), signed_in(ben), signed_in(ben)
    admin.post(f"/people/{ben.pk}/sign-out")
    assert first.get("/").status_code == second.get("/").status_code == 302
    assert admin.get("/").status_code == 200


def test_last_admin_cannot_lock_everybody_out() -> None:
    ada = make_person("ada", "admin")
    admin = signed_in(ada)
    admin.post(f"/people/{ada.pk}/disable")
    admin.post(f"/people/{ada.pk}/role", {"role": "viewer"})
    ada.refresh_from_db()
    assert ada.is_active and role_of(ada) == "admin"
    assert "only admin" in admin.get("/people").content.decode()


def test_token_is_shown_once_and_kept_as_a_hash() -> None:
    ben = signed_in(make_person("ben", "operator"))
    page = ben.post("/tokens/add", {"name": "nightly", "role": "operator"}).content.decode()
    plain = page.split('<code id="plain">')[1].split("</code>")[0]
    assert plain.startswith("agt_")
    assert plain not in ben.get("/tokens").content.decode()
    assert plain not in str(list(ApiToken.objects.values()))
    assert Client().get("/api/v1/runs", HTTP_AUTHORIZATION=f"Bearer {plain}").status_code == 200


def test_nobody_mints_a_token_above_their_role_or_revokes_anothers() -> None:
    eve, ben = signed_in(make_person("eve", "viewer")), make_person("ben", "operator")
    assert eve.post("/tokens/add", {"name": "x", "role": "admin"}).status_code == 422
    _, his = ApiToken.mint("his", "operator", ben)
    assert eve.post(f"/tokens/{his.pk}/revoke").status_code == 404
    assert signed_in(make_person("ada", "admin")).post(f"/tokens/{his.pk}/revoke").status_code == 302


def test_person_without_a_password_sets_one_and_one_with_it_must_know_it() -> None:
    ben = make_person("ben", "viewer")
    ben.set_unusable_password()
    ben.save()
    client = signed_in(ben)
    new = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    assert client.post("/password", new)["Location"] == "/"
    assert client.post("/password", new).status_code == 200  # the old one is asked for now
    assert client.post("/password", {**new, "old_password": PASSWORD}).status_code == 302


def test_commands_do_what_the_page_does(tmp_path: Path) -> None:
    out = StringIO()
    call_command("add_person", "ada", role="admin", stdout=out)
    assert "/sign-in/link/" in out.getvalue()
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    call_command("add_person", "ben", password_file=secret, stdout=out)
    assert User.objects.get(username="ben").check_password(PASSWORD)
    call_command("change_person", "ben", role="operator", disable=True, stdout=out)
    assert not User.objects.get(username="ben").is_active
    with override_settings(PUBLIC_URL="https://runs.example.org", APP_URL="http://web:8000"):
        call_command("sign_in_link", "ada", stdout=out)
    assert "https://runs.example.org/sign-in/link/" in out.getvalue(), "where people are, not where containers are"
    call_command("people", stdout=out)
    assert "ada\tadmin\nben\tdisabled" in out.getvalue()
    for words in (
        ["add_person", "ada"],
        ["change_person", "zoe", "--disable"],
        ["change_person", "ada"],
        ["sign_in_link", "ben"],
    ):
        with pytest.raises(CommandError) as problem:
            call_command(*words, stdout=out)
        assert problem.value.returncode == 2

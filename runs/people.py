"""People: add, disable, change role, sign out everywhere. Pages and commands both call these verbs."""

from __future__ import annotations

import logging

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from runs.access import ROLES, give_role, role_of

log = logging.getLogger(__name__)


class PeopleError(ValueError):
    """What was asked cannot be done; the text says why and what can."""


def add(name: str, role: str, password: str | None = None) -> User:
    """A new person with one role. Without a password only a one-time link or a password set later lets it in."""
    if role not in ROLES:
        raise PeopleError(f"role is {role!r}; it must be one of {', '.join(ROLES)}")
    if User.objects.filter(username__iexact=name).exists():
        raise PeopleError(f"name: there is already a person called {name}; choose another")
    person = User(username=name)
    try:
        person.clean_fields(exclude=["password"])
        if password is not None:
            validate_password(password, person)
    except ValidationError as problem:
        raise PeopleError("; ".join(problem.messages)) from problem
    person.set_password(password)
    with transaction.atomic():
        person.save()
        give_role(person, role)
    log.info("person %s added as %s", name, role)
    return person


def set_password(person: User, password: str) -> None:
    """A new password, checked; every session made with the old one ends."""
    try:
        validate_password(password, person)
    except ValidationError as problem:
        raise PeopleError("; ".join(problem.messages)) from problem
    person.set_password(password)
    person.save(update_fields=["password"])
    sign_out_everywhere(person)


def disable(person: User) -> None:
    """Keep the row and its history; end its sessions and let neither it nor its tokens in."""
    with transaction.atomic():
        _keep_an_admin(person)
        person.is_active = False
        person.save(update_fields=["is_active"])
    sign_out_everywhere(person)
    log.info("person %s disabled", person.username)


def enable(person: User) -> None:
    """Let a disabled person in again."""
    person.is_active = True
    person.save(update_fields=["is_active"])
    log.info("person %s enabled", person.username)


def change_role(person: User, role: str) -> None:
    """Make `role` the person's only one; the last admin stays one."""
    if role not in ROLES:
        raise PeopleError(f"role is {role!r}; it must be one of {', '.join(ROLES)}")
    with transaction.atomic():
        if role != "admin":
            _keep_an_admin(person)
        if person.is_superuser and role != "admin":
            person.is_superuser = person.is_staff = False
            person.save(update_fields=["is_superuser", "is_staff"])
        give_role(person, role)
    log.info("person %s is now %s", person.username, role)


def sign_out_everywhere(person: User) -> int:
    """End every session of the person; sockets notice within 60 s. Says how many there were."""
    ended = 0
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        if str(session.get_decoded().get(SESSION_KEY)) == str(person.pk):
            session.delete()
            ended += 1
    return ended


def open_sessions() -> dict[int, int]:
    """How many sessions each person has open, by primary key."""
    found: dict[int, int] = {}
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        key = session.get_decoded().get(SESSION_KEY)
        if key is not None and str(key).isdigit():
            found[int(key)] = found.get(int(key), 0) + 1
    return found


def _keep_an_admin(person: User) -> None:
    """Refuse to take the last one that can add people. The rows are locked, so two admins cannot remove each other."""
    admins = [p for p in User.objects.select_for_update().filter(is_active=True) if role_of(p) == "admin"]
    if [p.pk for p in admins] == [person.pk]:
        raise PeopleError(f"{person.username} is the only admin; make somebody else one first")

"""`/people`: who may enter and with which role. For admins."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from runs import people
from runs.access import ROLES, gate, role_of
from runs.forms.people import AddPerson, ChangeRole
from runs.models import SignInLink


@require_safe
@gate("admin")
def person_list(request: HttpRequest) -> HttpResponse:
    """Everybody, with role, state and open sessions; the form to add one."""
    return _page(request, AddPerson())


@require_POST
@never_cache
@gate("admin")
def person_add(request: HttpRequest) -> HttpResponse:
    """Add one. Without a password the answer holds a one-time link, shown here and nowhere again."""
    form = AddPerson(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    password = form.cleaned_data["password"] or None
    try:
        person = people.add(form.cleaned_data["name"], form.cleaned_data["role"], password)
    except people.PeopleError as problem:
        form.add_error("password" if password and "password" in str(problem) else "name", str(problem))
        return _page(request, form, status=422)
    if password:
        messages.success(request, f"{person.username} is added and can sign in.")
        return redirect("people")
    return _page(request, AddPerson(), link=_link(request, person), link_person=person)


@require_POST
@never_cache
@gate("admin")
def person_link(request: HttpRequest, pk: int) -> HttpResponse:
    """A fresh one-time link for somebody who cannot get in."""
    person = get_object_or_404(User, pk=pk, is_active=True)
    return _page(request, AddPerson(), link=_link(request, person), link_person=person)


@require_POST
@gate("admin")
def person_role(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the role; the person feels it with the next request."""
    form = ChangeRole(request.POST)
    if form.is_valid():
        return _do(
            request,
            pk,
            lambda p: people.change_role(p, form.cleaned_data["role"]),
            "{} is now " + form.cleaned_data["role"],
        )
    messages.error(request, f"The role must be one of {', '.join(ROLES)}.")
    return redirect("people")


@require_POST
@gate("admin")
def person_disable(request: HttpRequest, pk: int) -> HttpResponse:
    """Nobody is deleted: their actions keep their name."""
    return _do(request, pk, people.disable, "{} is disabled and signed out")


@require_POST
@gate("admin")
def person_enable(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a disabled person in again."""
    return _do(request, pk, people.enable, "{} is enabled")


@require_POST
@gate("admin")
def person_sign_out(request: HttpRequest, pk: int) -> HttpResponse:
    """End every session of one person."""
    return _do(request, pk, people.sign_out_everywhere, "{} is signed out everywhere")


def _do(request: HttpRequest, pk: int, verb: object, done: str) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    try:
        verb(person)  # type: ignore[operator]
        messages.success(request, done.format(person.username) + ".")
    except people.PeopleError as problem:
        messages.error(request, f"{problem}.")
    return redirect("people")


def _link(request: HttpRequest, person: User) -> str:
    return request.build_absolute_uri(f"/sign-in/link/{SignInLink.mint(person)}")


def _page(request: HttpRequest, form: AddPerson, status: int = 200, **more: object) -> HttpResponse:
    sessions = people.open_sessions()
    rows = [
        {"person": person, "role": role_of(person) or _dormant_role(person), "sessions": sessions.get(person.pk, 0)}
        for person in User.objects.order_by("-is_active", "username").prefetch_related("groups")
    ]
    context = {"rows": rows, "form": form, "roles": ROLES, **more}
    return render(request, "people/people.html", context, status=status)


def _dormant_role(person: User) -> str:
    """The role a disabled person would have."""
    held = {group.name for group in person.groups.all()}
    return next((role for role in reversed(ROLES) if role in held), "none")

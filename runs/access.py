"""The one gate: who is asking, with which role, and may they have this run. Every page, API call and socket asks here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib.auth.models import AnonymousUser, Group, User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from ninja.errors import HttpError
from ninja.security.base import AuthBase
from ninja.utils import check_csrf

from runs.models import ApiToken, Run

ROLES = ("viewer", "operator", "admin")  # each may do what those before it may


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. `person` is None for a token that belongs to nobody."""

    name: str
    role: str
    person: User | None = None
    token: ApiToken | None = None

    def may(self, role: str) -> bool:
        """True if this caller's role is `role` or above."""
        return ROLES.index(self.role) >= ROLES.index(role)


def role_of(person: User | AnonymousUser) -> str | None:
    """The highest role of a person; None for strangers, disabled people and people without one."""
    if not person.is_authenticated or not person.is_active:
        return None
    if person.is_superuser:
        return "admin"
    held = set(person.groups.filter(name__in=ROLES).values_list("name", flat=True))
    return next((role for role in reversed(ROLES) if role in held), None)


def give_role(person: User, role: str) -> None:
    """Make `role` the person's only one. Raises ValueError naming the roles."""
    if role not in ROLES:
        raise ValueError(f"role is {role!r}; it must be one of {', '.join(ROLES)}")
    person.groups.remove(*Group.objects.filter(name__in=ROLES))
    person.groups.add(Group.objects.get_or_create(name=role)[0])


def caller(request: HttpRequest) -> Caller | None:
    """The caller by bearer token, else by session; None if neither holds. Found once per request."""
    if not hasattr(request, "_caller"):
        request._caller = _by_token(request) if "Authorization" in request.headers else _by_session(request)  # type: ignore[attr-defined]
    return request._caller  # type: ignore[attr-defined, no-any-return]


def _by_session(request: HttpRequest) -> Caller | None:
    person = getattr(request, "user", AnonymousUser())
    role = role_of(person)
    return Caller(person.get_username(), role, person) if role and isinstance(person, User) else None


def _by_token(request: HttpRequest) -> Caller | None:
    scheme, _, plain = request.headers["Authorization"].partition(" ")
    token = ApiToken.find(plain.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        return None
    role: str | None = token.role
    if token.person is not None:
        held = role_of(token.person)
        role = min(token.role, held, key=ROLES.index) if held else None
    if role is None:
        return None
    now = timezone.now()
    if token.last_used_at is None or (now - token.last_used_at).total_seconds() > 60:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    name = token.person.get_username() if token.person else f"token {token.name}"
    return Caller(name, role, token.person, token)


def require(request: HttpRequest, role: str) -> Caller:
    """The caller, if its role is `role` or above; PermissionDenied otherwise."""
    found = caller(request)
    if found is None:
        raise PermissionDenied("Sign in first.")
    if not found.may(role):
        raise PermissionDenied(f"This needs the role {role}; you are {found.role}.")
    return found


def find_run(name: str) -> Run:
    """The run by slug, or by id where no slug matches. Http404 otherwise."""
    # PostgreSQL refuses NUL in any text with an error; no slug holds one.
    run = None if "\x00" in name else Run.objects.filter(slug=name).first()
    if run is None and name.isascii() and name.isdigit() and len(name) < 19:
        run = Run.objects.filter(pk=int(name)).first()
    if run is None:
        raise Http404(f"There is no run {name!r}.")
    return run


def visible_run(request: HttpRequest, slug: str) -> Run:
    """The run, for anyone with a role. A stranger gets 404, so that names of runs do not leak."""
    found = caller(request)
    if found is None:
        raise Http404(f"There is no run {slug!r}.")
    return find_run(slug)


def visible_runs(request: HttpRequest) -> QuerySet[Run]:
    """Every run the caller may see, newest first; none for a stranger."""
    return Run.objects.order_by("-pk") if caller(request) else Run.objects.none()


def operable_run(request: HttpRequest, slug: str) -> Run:
    """The run, for operators and admins. 404 for strangers, PermissionDenied for viewers."""
    run = visible_run(request, slug)
    require(request, "operator")
    return run


def gate(role: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Decorate a page: strangers are led to sign-in (also from an htmx request), a lower role is denied."""

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if caller(request) is None:
                if request.user.is_authenticated:
                    raise PermissionDenied("You have no role yet; ask an admin for one.")
                answer = redirect_to_login(request.get_full_path())
                if request.headers.get("HX-Request"):
                    return HttpResponse(status=204, headers={"HX-Redirect": answer.url})
                return answer
            require(request, role)
            return view(request, *args, **kwargs)

        guarded.role = role  # type: ignore[attr-defined]  # read by the test of address x role x method
        return guarded

    return decorate


class ApiAuth(AuthBase):
    """ninja's `auth=`: a bearer token, or a session with a CSRF token for unsafe methods. 401 if neither."""

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __init__(self, role: str = "viewer") -> None:
        self.role = role
        super().__init__()

    def __call__(self, request: HttpRequest) -> Caller | None:
        found = caller(request)
        if found is None:
            return None
        if found.token is None and check_csrf(request):
            raise HttpError(403, "A session needs its CSRF token in the header X-CSRFToken.")
        if not found.may(self.role):
            raise HttpError(403, f"This needs the role {self.role}; you are {found.role}.")
        return found

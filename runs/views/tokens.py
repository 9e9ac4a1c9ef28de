"""`/tokens`: one's own API tokens; an admin sees everybody's. The plain text is shown once."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from runs.access import gate, require
from runs.forms.people import NewToken
from runs.models import ApiToken


@require_safe
@gate("viewer")
def token_list(request: HttpRequest) -> HttpResponse:
    """The tokens that hold, and the form for another."""
    return _page(request, NewToken(highest=require(request, "viewer").role))


@require_POST
@never_cache
@gate("viewer")
def token_add(request: HttpRequest) -> HttpResponse:
    """Mint one. Only its hash is stored, so this answer is the only place it is readable."""
    who = require(request, "viewer")
    form = NewToken(request.POST, highest=who.role)
    if not form.is_valid():
        return _page(request, form, status=422)
    plain, token = ApiToken.mint(form.cleaned_data["name"], form.cleaned_data["role"], who.person)
    return _page(request, NewToken(highest=who.role), plain=plain, token=token)


@require_POST
@gate("viewer")
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End a token of one's own; an admin may end any."""
    get_object_or_404(_tokens(request), pk=pk).revoke()
    return redirect("tokens")


def _tokens(request: HttpRequest) -> QuerySet[ApiToken]:
    who = require(request, "viewer")
    tokens = ApiToken.objects.select_related("person").filter(revoked_at=None)
    return tokens if who.may("admin") else tokens.filter(person=who.person, person__isnull=False)


def _page(request: HttpRequest, form: NewToken, status: int = 200, **more: object) -> HttpResponse:
    return render(request, "people/tokens.html", {"tokens": _tokens(request), "form": form, **more}, status=status)

"""`/models`: endpoints with their keys, models, and prices with dates. For admins."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from runs import keys
from runs.access import gate, require
from runs.forms.offers import EndpointForm, PriceForm
from runs.models import Endpoint, LanguageModel, Price


@require_safe
@gate("admin")
def offers(request: HttpRequest) -> HttpResponse:
    """Everything there is, and the forms to add or change; `?endpoint=NAME` fills the form with it."""
    row = Endpoint.objects.filter(name=request.GET.get("endpoint", "")).first()
    shown = {name: getattr(row, name) for name in ("name", "url", "auth", "strip", "other_models")} if row else None
    return _page(request, endpoint_form=EndpointForm(initial=shown), changing=row)


@require_POST
@never_cache
@gate("admin")
def endpoint_save(request: HttpRequest) -> HttpResponse:
    """Add an endpoint or change the one of that name, and keep its key."""
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, endpoint_form=form)
    try:
        messages.success(request, form.save(require(request, "admin").person))
    except keys.KeyFault as fault:
        form.add_error("model_key", f"{fault}")
        return _page(request, 422, endpoint_form=form)
    return redirect("offers")


@require_POST
@gate("admin")
def key_forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove an endpoint's key."""
    row = get_object_or_404(Endpoint, pk=pk)
    keys.forget(row)
    messages.success(request, f"The key of {row.name} is removed.")
    return redirect("offers")


@require_POST
@gate("admin")
def endpoint_remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove an endpoint with its key."""
    row = get_object_or_404(Endpoint, pk=pk)
    keys.forget(row)
    row.delete()
    messages.success(request, f"{row.name} is removed.")
    return redirect("offers")


@require_POST
@gate("admin")
def price_save(request: HttpRequest) -> HttpResponse:
    """Add a price from a day on, with its model."""
    form = PriceForm(request.POST)
    if not form.is_valid():
        return _page(request, 422, price_form=form)
    price = form.save()
    messages.success(request, f"{price.model.name} has a price from {price.valid_from:%Y-%m-%d}.")
    return redirect("offers")


@require_POST
@gate("admin")
def price_remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one price. What runs have cost so far is in their ledgers and stays."""
    get_object_or_404(Price, pk=pk).delete()
    return redirect("offers")


@require_POST
@gate("admin")
def model_retire(request: HttpRequest, pk: int) -> HttpResponse:
    """Offer a model no longer, or again."""
    row = get_object_or_404(LanguageModel, pk=pk)
    row.retired_on = None if row.retired_on else datetime.now(UTC).date()
    row.save(update_fields=["retired_on"])
    return redirect("offers")


def _page(request: HttpRequest, status: int = 200, **forms: Any) -> HttpResponse:
    today = datetime.now(UTC).date()
    models = list(LanguageModel.objects.select_related("endpoint").prefetch_related("prices"))
    rows = []
    for model in models:
        prices = list(model.prices.all())
        holds = next((price for price in prices if price.valid_from <= today), None)
        rows.append(
            {
                "model": model,
                "prices": prices,
                "holds": holds,
                "retired": bool(model.retired_on and model.retired_on <= today),
            }
        )
    context = {
        "endpoints": [
            {"row": row, "has_key": keys.has_key(row)} for row in Endpoint.objects.select_related("key_kept_by")
        ],
        "rows": rows,
        "endpoint_form": EndpointForm(),
        "price_form": PriceForm(initial={"valid_from": today.isoformat()}),
        **forms,
    }
    return render(request, "runs/models.html", context, status=status)

"""What a page of a run stands at, taken along to its export."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.utils.safestring import SafeString, mark_safe

from trajectories.export import carried, file_forms

register = template.Library()
register.simple_tag(file_forms, name="file_forms")


@register.simple_tag(takes_context=True)
def export_query(context: Context, before: str = "?") -> SafeString:
    """The filters of this page as a query of the export, with `before` in front; empty where there are none."""
    request: Any = context.get("request")
    place = getattr(request, "resolver_match", None)
    if place is None:
        return SafeString("")
    query = carried(str(place.view_name), request.GET.dict(), place.kwargs.get("number"))
    return mark_safe((before + query).replace("&", "&amp;")) if query else SafeString("")  # noqa: S308 urlencoded

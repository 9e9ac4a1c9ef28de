"""Forms of `/models`: an endpoint with its key, and a model's price from a day on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.validators import RegexValidator

from runs import keys
from runs.models import Endpoint, LanguageModel, Price
from runs.validation import endpoint_faults

MILLION = 1_000_000
MODEL_NAME = RegexValidator(r"^[\x21-\x7e]+$", "one word of plain characters, as the endpoint knows it")


class EndpointForm(forms.Form):
    """Add an endpoint, or change the one of that name. A key is taken and never shown again."""

    name = forms.SlugField(max_length=60, label="Name", help_text="how a run names it, for example openai")
    url = forms.CharField(
        max_length=300,
        label="Address",
        help_text="ends where /chat/completions, /responses or /messages begins: https://api.openai.com/v1",
    )
    auth = forms.ChoiceField(choices=Endpoint.Auth.choices, initial="bearer", label="Key is sent as")
    model_key = forms.CharField(
        required=False,
        label="Key",
        max_length=keys.LONGEST,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="empty = the kept one stays. Only the gateway reads it, from a file",
    )
    strip = forms.CharField(
        required=False,
        max_length=300,
        label="Fields left out",
        help_text="that it refuses, by comma, for example store, reasoning.summary",
    )
    other_models = forms.BooleanField(
        required=False, label="Other models", help_text="a worker may ask for another model than the run's"
    )

    def clean_url(self) -> str:
        """The address without a slash at the end."""
        url = str(self.cleaned_data["url"]).strip().rstrip("/")
        if found := endpoint_faults(url):
            raise forms.ValidationError(found["endpoint"])
        return url

    def save(self, person: User | None) -> str:
        """Write the row and the key; a sentence that says what happened. Raises KeyFault for a key that is none, before anything is written."""
        said = self.cleaned_data
        if said["model_key"]:
            keys.check(said["model_key"])
        row = Endpoint.objects.filter(name=said["name"]).first() or Endpoint(name=said["name"])
        moved = bool(row.pk) and row.url != said["url"] and keys.has_key(row)
        for name in ("url", "auth", "strip", "other_models"):
            setattr(row, name, said[name])
        row.save()
        if said["model_key"]:
            keys.keep(row, said["model_key"], person)
            return f"{row.name} is kept, with its key."
        if moved:  # a key goes to the address it was given for, and to no other
            keys.forget(row)
            return f"{row.name} has another address now, so its key was removed: give it again."
        return f"{row.name} is kept."


def _dollars(label: str, help_text: str = "") -> forms.DecimalField:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    return forms.DecimalField(
        label=label, min_value=0, max_value=100_000, decimal_places=6, help_text=help_text, widget=widget
    )


class PriceForm(forms.Form):
    """A price in dollars per million tokens, from a day on; a model of that name is made if there is none."""

    model = forms.CharField(
        max_length=120,
        label="Model",
        validators=[MODEL_NAME],
        widget=forms.TextInput(attrs={"list": "models", "autocomplete": "off"}),
    )
    endpoint = forms.ModelChoiceField(Endpoint.objects.none(), required=False, label="Endpoint", empty_label="as it is")
    valid_from = forms.DateField(label="From", widget=forms.DateInput(attrs={"type": "date"}), help_text="UTC")
    input = _dollars("Input")
    cached = _dollars("Cached input")
    cache_write = _dollars("Cache write")
    output = _dollars("Output")
    source = forms.CharField(
        required=False, max_length=200, label="Source", help_text="where the price was read, and when"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["endpoint"].queryset = Endpoint.objects.all()

    def save(self) -> Price:
        """The row; the same day again replaces it."""
        said = self.cleaned_data
        place = said["endpoint"]
        model, new = LanguageModel.objects.get_or_create(
            name=said["model"], defaults={"endpoint": place, "valid_from": said["valid_from"]}
        )
        if place and not new:
            model.endpoint = place
            model.save(update_fields=["endpoint"])
        figures = {name: int(Decimal(said[name]) * MILLION) for name in ("input", "cached", "cache_write", "output")}
        return Price.objects.update_or_create(
            model=model, valid_from=said["valid_from"], defaults={**figures, "source": said["source"]}
        )[0]

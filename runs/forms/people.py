"""Forms about people and their tokens."""

from __future__ import annotations

from django import forms

from runs.access import ROLES

ROLE_CHOICES = [
    ("viewer", "viewer: reads everything"),
    ("operator", "operator: also launches and stops runs"),
    ("admin", "admin: also adds people"),
]


class AddPerson(forms.Form):
    """A name and a role; with an empty password the page answers with a one-time link."""

    name = forms.CharField(max_length=150, label="Name", widget=forms.TextInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(choices=ROLE_CHOICES, initial="viewer", label="Role")
    password = forms.CharField(
        required=False,
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Leave empty for a one-time sign-in link",
    )


class ChangeRole(forms.Form):
    """One role out of three."""

    role = forms.ChoiceField(choices=[(role, role) for role in ROLES])


class NewToken(forms.Form):
    """A token's name and role; it never holds more than its person."""

    name = forms.CharField(max_length=80, label="Name", help_text="What will use it, for example “nightly launch”")
    role = forms.ChoiceField(label="Role")

    def __init__(self, *args: object, highest: str = "viewer", **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        allowed = ROLES[: ROLES.index(highest) + 1]
        self.fields["role"].choices = [pair for pair in ROLE_CHOICES if pair[0] in allowed]

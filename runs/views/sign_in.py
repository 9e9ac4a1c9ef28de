"""Into the app and out again: by password, by a link that works once."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from runs.access import gate
from runs.models import SignInLink

SESSION_BACKEND = "django.contrib.auth.backends.ModelBackend"

FORM = require_http_methods(["GET", "HEAD", "POST"])  # Django's form views would take PUT for POST

sign_in = FORM(LoginView.as_view(template_name="people/sign_in.html", redirect_authenticated_user=True))
sign_out = LogoutView.as_view()


class ChangePassword(PasswordChangeView):
    """Change one's own password; other sessions of the person end."""

    template_name = "people/password.html"
    success_url = reverse_lazy("run-list")

    def get_form_class(self) -> type[SetPasswordForm]:
        """Who came in by a link has no old password to give."""
        return PasswordChangeForm if self.request.user.has_usable_password() else SetPasswordForm

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        answer = super().form_valid(form)
        messages.success(self.request, "Your password is changed. Your other sessions are signed out.")
        return answer


password = FORM(gate("viewer")(ChangePassword.as_view()))


@require_http_methods(["GET", "POST"])
@never_cache
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """A page with one button; pressing it signs in, once. Opening the link spends nothing: mail scanners and previews open links too."""
    if request.method == "POST":
        if (person := SignInLink.redeem(token)) is not None:
            login(request, person, backend=SESSION_BACKEND)
            return redirect("run-list")
    elif (waiting := SignInLink.waiting(token)) is not None:
        return render(request, "people/link.html", {"person": waiting})
    if request.user.is_authenticated:
        return redirect("run-list")
    return render(request, "people/link_spent.html", status=410)


def locked_out(request: HttpRequest, credentials: dict[str, str] | None, *_: object, **__: object) -> HttpResponse:
    """Too many wrong passwords: say so, and for how long."""
    return render(request, "people/locked_out.html", status=429)

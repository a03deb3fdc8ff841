"""The page that a link in a mail opens: choose a new password."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import signing_in
from accounts.forms import NewPasswordForm
from accounts.hashing import HashingBusyError
from accounts.later_page import try_later
from accounts.sign_in_links import PASSWORD, open_link

TEMPLATE = "accounts/reset_password.html"
DEAD = "accounts/reset_dead.html"


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def reset_password(request: HttpRequest, token: str) -> HttpResponse:
    """Set a new password; GET uses nothing up, because mail programs open links."""
    link = open_link(token, PASSWORD)
    if link is None:
        return render(request, DEAD, status=404)
    form = NewPasswordForm(link.person, request.POST if request.method == "POST" else None)
    context = {"form": form, "person": link.person}
    if not form.is_valid():
        return render(request, TEMPLATE, context, status=422 if form.is_bound else 200)
    try:
        if not signing_in.reset_password(link, form.cleaned_data["new_password1"]):
            return render(request, DEAD, status=404)
    except HashingBusyError as problem:
        return try_later(request, TEMPLATE, context, problem)
    messages.success(
        request, gettext("Your password has been changed. You are signed out everywhere; sign in with the new one.")
    )
    return redirect("accounts:sign_in")

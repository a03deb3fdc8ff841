"""The page on which somebody who has forgotten their password asks for a link by mail."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.later_page import try_later
from accounts.sign_in_limits import TooManyTriesError
from config.client_address import client_address
from recruiting.mail.mail_forms import ForgottenPasswordForm
from recruiting.mail.password_mail import HOURS, ask_for_password
from recruiting.mail.person_views import refuse_without_mail


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """POST answers alike for everybody: it looks nobody up."""
    refuse_without_mail()
    form = ForgottenPasswordForm(request.POST if request.method == "POST" else None)
    template = "recruiting/mail/forgotten_password.html"
    if form.is_valid():
        try:
            ask_for_password(form.cleaned_data["account"], client_address(request))
        except TooManyTriesError as problem:
            return try_later(request, template, {"form": form}, problem)
        return render(request, template, {"asked": True, "hours": HOURS})
    return render(request, template, {"form": form}, status=422 if form.is_bound else 200)

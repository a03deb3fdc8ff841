"""The second step of sign-in, and the page on which people turn it on and off."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import second_factor as factor
from accounts import signing_in
from accounts.access import person_of, signed_in
from accounts.authenticator_codes import offer_of
from accounts.forms import CodeForm
from accounts.later_page import try_later
from accounts.models import SecondFactor
from accounts.next_address import after_entering, next_address
from accounts.sign_in_limits import TooManyTriesError

STEP, PAGE, CODES = "accounts/second_step.html", "accounts/second_factor.html", "accounts/recovery_codes.html"
NOT_HERE = "This site has no second factor."


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def second_step(request: HttpRequest) -> HttpResponse:
    """Ask for a code after the first step, and sign in by it."""
    first = signing_in.first_step_of(request)
    if first is None:
        return redirect("accounts:sign_in")
    form = CodeForm(request.POST if request.method == "POST" else None)
    context = {"form": form, "person": first.person, "next": next_address(request)}
    try:
        if form.is_valid():
            if signing_in.give_code(request, first, form.given):
                return after_entering(request)
            form.refuse()
    except TooManyTriesError as problem:
        return try_later(request, STEP, {**context, "form": CodeForm()}, problem)
    return render(request, STEP, context, status=422 if form.is_bound else 200)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def second_factor(request: HttpRequest) -> HttpResponse:
    """Turn the second factor on or off, or make new recovery codes: the field `do` says which; each needs a code."""
    if settings.SECOND_FACTOR == factor.OFF:
        raise Http404(NOT_HERE)
    person = person_of(request)
    mine = SecondFactor.objects.filter(person=person).first()
    form = CodeForm(request.POST if request.method == "POST" else None)
    try:
        done = _done(request, mine, form) if form.is_valid() else None
    except TooManyTriesError as problem:
        return try_later(request, PAGE, _context(request, mine, CodeForm()), problem)
    if done is not None:
        return done
    return render(request, PAGE, _context(request, mine, form), status=422 if form.is_bound else 200)


def _done(request: HttpRequest, mine: SecondFactor | None, form: CodeForm) -> HttpResponse | None:
    """Do what the form asks for; None if its code is wrong."""
    if mine is not None and request.POST.get("do") == "off":
        if factor.turn_off(request, form.given):
            messages.success(request, gettext("Turned off. Sign-in asks for your password alone."))
            return redirect("accounts:second_factor")
        form.refuse()
        return None
    change = factor.turn_on if mine is None else factor.renew_recovery_codes
    if codes := change(request, form.given):
        return render(request, CODES, {"codes": codes, "is_new": mine is None})
    form.refuse()
    return None


def _context(request: HttpRequest, mine: SecondFactor | None, form: CodeForm) -> dict[str, Any]:
    person = person_of(request)
    context = {"form": form, "mine": mine, "is_demanded": factor.must_have_one(person)}
    if mine is not None:
        return {**context, "codes_left": len(mine.recovery_hashes)}
    site = f"Interrater ({request.get_host()})"
    return {**context, "offer": offer_of(factor.key_to_set_up(request), person.username, site)}

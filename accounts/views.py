"""Sign-in, sign-out and passwords."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext, override
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import signing_in
from accounts.access import person_of, signed_in
from accounts.forms import ChangePasswordForm, PreferencesForm, SignInForm
from accounts.hashing import HashingBusyError
from accounts.languages import LANGUAGES, remember_language, zone_named
from accounts.later_page import try_later
from accounts.next_address import after_entering, next_address
from accounts.preferences import preferences_of, save_preferences
from accounts.second_factor import OFF
from accounts.sign_in_limits import TooManyTriesError
from accounts.sign_in_links import open_link


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(next_address(request))
        return render(request, "accounts/sign_in.html", _sign_in_page(request, SignInForm()))
    form = SignInForm(request.POST)
    if form.is_valid():
        try:
            if signing_in.sign_in(request, form.cleaned_data["username"], form.cleaned_data["password"]):
                return after_entering(request)
        except (TooManyTriesError, HashingBusyError) as problem:
            return try_later(request, "accounts/sign_in.html", _sign_in_page(request, form), problem)
        form.add_error(None, gettext("Wrong user name or password. Check both, and whether Caps Lock is on."))
    return render(request, "accounts/sign_in.html", _sign_in_page(request, form), status=422)


def _sign_in_page(request: HttpRequest, form: SignInForm) -> dict[str, Any]:
    return {"form": form, "next": next_address(request)}


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    signing_in.sign_out(request)
    messages.info(request, gettext("You have signed out."))
    return redirect("accounts:sign_in")


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def change_password(request: HttpRequest) -> HttpResponse:
    form = ChangePasswordForm(request, request.POST if request.method == "POST" else None)
    try:
        if request.method == "POST" and form.is_valid():
            signing_in.change_password(request, form.cleaned_data["new_password1"])
            messages.success(
                request, gettext("Your password has been changed. You are signed out on all other devices.")
            )
            return redirect("annotation:home")
    except (TooManyTriesError, HashingBusyError) as problem:
        blank = ChangePasswordForm(request)
        return try_later(request, "accounts/change_password.html", {"form": blank}, problem)
    return render(request, "accounts/change_password.html", {"form": form}, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def preferences(request: HttpRequest) -> HttpResponse:
    """The person's own options."""
    person = person_of(request)
    now = preferences_of(person)
    form = PreferencesForm(
        request.POST if request.method == "POST" else None,
        initial={
            "keys_on": not now.keys_off, "submits_itself": now.submits_itself, "phrases": "\n".join(now.phrases),
            "language": now.language, "time_zone": now.time_zone,
        },
    )  # fmt: skip
    if form.is_bound and form.is_valid():
        chosen = form.cleaned_data
        changed = save_preferences(
            person, keys_off=not chosen["keys_on"],
            **{name: chosen[name] for name in ("submits_itself", "phrases", "language", "time_zone")},
        )  # fmt: skip
        with override(chosen["language"] or get_language()):
            messages.success(request, gettext("Saved.") if changed else gettext("Nothing was changed."))
        response = redirect("accounts:preferences")
        remember_language(response, chosen["language"])
        return response
    context = {"form": form, "has_second_factor": settings.SECOND_FACTOR != OFF}
    return render(request, "accounts/preferences.html", context, status=422 if form.is_bound else 200)


@require_POST
@signed_in
def keys(request: HttpRequest) -> HttpResponse:
    """Turn single keys on or off, from any page that has them."""
    wanted = request.POST.get("on", "")
    if wanted not in ("yes", "no"):
        return HttpResponseBadRequest("The field on must be yes or no.", content_type="text/plain")
    save_preferences(person_of(request), keys_off=wanted == "no")
    return HttpResponse(status=204)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Choose the language of the annotators' pages; somebody who is not signed in chooses for this browser."""
    wanted = request.POST.get("language", "")
    if wanted not in LANGUAGES:
        return HttpResponseBadRequest("The field language names none of the languages.", content_type="text/plain")
    if request.user.is_authenticated:
        save_preferences(person_of(request), language=wanted)
    response = HttpResponseRedirect(next_address(request))
    remember_language(response, wanted)
    return response


@require_POST
@signed_in
def time_zone(request: HttpRequest) -> HttpResponse:
    """Keep the time zone that the browser names, unless the person has one."""
    wanted, person = request.POST.get("zone", ""), person_of(request)
    if zone_named(wanted) is None:
        return HttpResponseBadRequest("The field zone must be the name of a time zone.", content_type="text/plain")
    if not preferences_of(person).time_zone:
        save_preferences(person, time_zone=wanted)
    return HttpResponse(status=204)


@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    if request.method == "POST":
        if signing_in.use_link(request, token):
            return after_entering(request)
    elif found := open_link(token):
        return render(request, "accounts/link.html", {"person": found.person})
    return render(request, "accounts/link_dead.html", status=404)


@require_safe
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The admin uses the site's own sign-in page, so that the audit has every sign-in."""
    if request.user.is_authenticated:
        raise PermissionDenied
    return redirect(f"{reverse('accounts:sign_in')}?{urlencode({'next': request.GET.get('next', '')})}")

"""Where people go after they have signed in: to the page that they asked for, if it is one of this site."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode


def next_address(request: HttpRequest) -> str:
    """Return the address to go to after sign-in: one of this host, or the home page."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if allowed else resolve_url("annotation:home")


def after_entering(request: HttpRequest, wanted: str = "") -> HttpResponse:
    """Lead somebody who has entered to where they want, or first to the page that asks for a code.

    `wanted` is an address that `next_address` has returned before.
    """
    wanted = wanted or next_address(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(wanted)
    return redirect(f"{reverse('accounts:second_step')}?{urlencode({'next': wanted})}")

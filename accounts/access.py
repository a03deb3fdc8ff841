"""Who is asking. `annotation.access` decides what they may do in a study."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.urls import reverse

from accounts.models import Person
from config.error_pages import error_response
from config.htmx_request import HtmxRequest

View = Callable[..., HttpResponseBase]


def person_of(request: HttpRequest) -> Person:
    """Return the person who is signed in. Only for views behind `signed_in`."""
    if not isinstance(request.user, Person):
        raise TypeError("This view is not behind @signed_in.")
    return request.user


def signed_in(view: View) -> View:
    """Admit only people who are signed in. Pages redirect to the sign-in page and back; scripts get a 401.

    A redirect would make htmx and fetch put the sign-in page into the page that waits for a fragment.
    """

    @wraps(view)
    def checked(request: HtmxRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.htmx or not request.accepts("text/html"):
            return error_response(request, 401)
        # People cannot come back to an address that only takes POST.
        back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("annotation:home")
        return redirect_to_login(back, resolve_url("accounts:sign_in"))

    return checked

"""Who is asking. What they may do in a study is decided by `annotation.access`."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.urls import reverse

from accounts.models import Person
from config.errors import error_response

View = Callable[..., HttpResponse]


def person_of(request: HttpRequest) -> Person:
    """The person signed in; only for views behind `signed_in`."""
    if not isinstance(request.user, Person):
        raise TypeError("This view is not behind @signed_in.")
    return request.user


def signed_in(view: View) -> View:
    """Let nobody in who is not signed in: pages go to the sign-in page and come back, scripts get a 401.

    A redirect answered to htmx or fetch would put the sign-in page inside the page that waits for a fragment.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if request.headers.get("HX-Request") == "true" or not request.accepts("text/html"):
            return error_response(request, 401)
        # An address that only takes POST is no place to come back to.
        back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("annotation:home")
        return redirect_to_login(back, resolve_url("accounts:sign_in"))

    return checked

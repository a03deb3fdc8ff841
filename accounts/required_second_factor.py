"""Staff without a second factor are led to set it up before anything else, if `SECOND_FACTOR=staff`."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import logout
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_noop

from accounts.models import Person
from accounts.second_factor import PASSED, has_one, is_demanded, must_have_one
from config.error_pages import error_response
from config.problem_details import asked_by_program

OPEN = {
    "accounts:second_factor", "accounts:second_step", "accounts:sign_out", "admin_sign_out", "accounts:language",
    "accounts:time_zone", "healthz", "readyz", "metrics",
}  # fmt: skip
"""The routes that need none."""
SET_IT_UP = gettext_noop("Set up your second factor first, on a page of this site.")


class SecondFactorMiddleware:
    """Refuse what people ask for who must have a second factor and have given no code in this session.

    Tokens of programs are not concerned: they open studies, never the admin.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not is_demanded():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> HttpResponseBase | None:
        match, person = request.resolver_match, request.user
        if match is None or match.view_name in OPEN or not isinstance(person, Person):
            return None
        if not must_have_one(person) or request.session.get(PASSED):
            return None
        if request.htmx or asked_by_program(request) or not request.accepts("text/html"):  # type: ignore[attr-defined]
            return error_response(request, 403, sentence=gettext(SET_IT_UP))
        if has_one(person):  # the session is older than the setting
            logout(request)
            return redirect("accounts:sign_in")
        return redirect("accounts:second_factor")

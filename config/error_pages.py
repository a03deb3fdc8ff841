"""Error pages: each says what to do and shows the request's id, but no details of the error."""

import sys
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext, gettext_noop

from config.outages import FULL, outage_status
from config.problem_details import asked_by_program, problem_response
from config.site_busy import SiteBusyError

SENTENCES = {
    400: gettext_noop("This request is not valid."),
    401: gettext_noop("You are signed out. Sign in again to continue."),
    403: gettext_noop("You are not allowed to do this."),
    404: gettext_noop("Not found, or you have no access to it."),
    411: gettext_noop("The request has no Content-Length. Send it with one."),
    413: gettext_noop("The request is larger than this site accepts."),
    500: gettext_noop("Something went wrong on our side."),
    503: gettext_noop("The site is busy, and the request was not completed. Try again in a few seconds."),
    507: gettext_noop("The server's disk is full, and nothing was saved. Try again later."),
}
AFTER_FULL_DISK = 60
"""Seconds after which it makes sense to try again if somebody has to free disk space first."""


def error_response(request: HttpRequest, status: int, page: str = "", sentence: str = "") -> HttpResponse:
    """Return the error page for `status`, or a sentence as JSON if the client does not accept HTML.

    `sentence` replaces the usual one of the status.
    """
    if asked_by_program(request):
        return problem_response(request, status, sentence or gettext(SENTENCES[status]))
    request_id = getattr(request, "request_id", "")
    if not request.accepts("text/html"):
        return JsonResponse({"error": sentence or gettext(SENTENCES[status]), "request_id": request_id}, status=status)
    template = "errors/_error.html" if request.htmx else "errors/error.html"  # type: ignore[attr-defined]
    context = {
        "request_id": request_id, "status": status, "explanation": f"errors/_{page or status}.html",
        "sentence": sentence,
    }  # fmt: skip
    # Without the request's context: who is signed in is in the database, which may be down.
    return HttpResponse(render_to_string(template, context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a refusal; one that has a page of its own names it and says why."""
    page = getattr(exception, "page", "")
    return error_response(request, 403, page, str(exception) if page else "")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_response(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error that no view caught, for example one of the middleware that saves the session."""
    problem = sys.exception()
    return busy_response(request, problem) or error_response(request, 500)


def busy_response(request: HttpRequest, problem: BaseException | None) -> HttpResponse | None:
    """Return the page of an outage, 503 or 507, with `Retry-After`; None if the problem is not an outage."""
    status = outage_status(problem)
    if status is None:
        return None
    busy = problem if isinstance(problem, SiteBusyError) else SiteBusyError()
    response = error_response(request, status, sentence=str(busy))
    response.headers["Retry-After"] = str(AFTER_FULL_DISK if status == FULL else busy.retry_after)
    return response


def csrf_failure(request: HttpRequest, reason: str = "", **_: Any) -> HttpResponse:
    return error_response(request, 403, "csrf")

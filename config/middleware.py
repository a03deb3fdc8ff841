"""Middleware: request ids, refusals before and instead of a view, and headers of every answer."""

import uuid
from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.error_pages import busy_response, error_response
from config.outside_requests import IN_REQUEST
from config.request_ids import CURRENT, LENGTH

MOST_DIGITS = 18
Handler = Callable[[HttpRequest], HttpResponse]


class RequestMiddleware:
    """Mark what runs in a request, and give it an id.

    Its log lines, error pages and the `X-Request-Id` header show the id; readers of files refuse to run in a request.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = request_id = uuid.uuid4().hex[:LENGTH]  # type: ignore[attr-defined]
        before, outside = CURRENT.set(request_id), IN_REQUEST.set(True)
        try:
            response = self.get_response(request)
        finally:
            CURRENT.reset(before)
            IN_REQUEST.reset(outside)
        response["X-Request-Id"] = request_id
        return response


class ResponseHeadersMiddleware:
    """Say what a page may load, and keep private pages out of all caches, including the browser's back button.

    The policy of `settings` is the same for all pages, so it is written down once.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response, self.policy = get_response, build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault(HEADER, self.policy)
        response.headers.setdefault("Cache-Control", "no-store, private")
        return response


class RefusalMiddleware:
    """Refuse a body that is too large or has no stated length before it is read, and what a busy site cannot do.

    A view that raises SiteBusyError, or meets an outage, gets status 503 or 507 and `Retry-After`.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "Transfer-Encoding" in request.headers:
            return error_response(request, 411)
        if stated_length(request) > settings.LARGEST_BODY:
            return error_response(request, 413)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        return busy_response(request, problem)


def stated_length(request: HttpRequest) -> int:
    """Return the request's Content-Length, or 0 if it has none. Of a longer number the first 18 digits count."""
    digits = request.headers.get("Content-Length", "")
    return int(digits[:MOST_DIGITS]) if digits.isdecimal() else 0

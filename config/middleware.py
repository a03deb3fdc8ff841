"""Middleware: request ids, limits of bodies, headers of every answer, and answers for a busy site."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.body_length import stated_length
from config.error_pages import busy_response, error_response
from config.request_ids import new_request_id, working_for

Handler = Callable[[HttpRequest], HttpResponse]


class RequestIdMiddleware:
    """Give each request an id, which its log lines, error pages and the `X-Request-Id` header show."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = request_id = new_request_id()  # type: ignore[attr-defined]
        with working_for(request_id):
            response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response


class BodyLimitMiddleware:
    """Refuse a body that is too large or has no stated length, before it is read."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "Transfer-Encoding" in request.headers:
            return error_response(request, 411)
        if stated_length(request) > settings.LARGEST_BODY:
            return error_response(request, 413)
        return self.get_response(request)


class PolicyMiddleware:
    """Say what a page may load. The policy of `settings` is the same for all, so it is written down once."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response, self.policy = get_response, build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault(HEADER, self.policy)
        return response


class PrivateResponseMiddleware:
    """Keep private pages out of all caches, including the browser's back button."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store, private")
        return response


class SiteBusyMiddleware:
    """Answer SiteBusyError and outages with status 503 or 507 and `Retry-After`."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        return busy_response(request, problem)

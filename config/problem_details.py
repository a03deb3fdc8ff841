"""Errors for programs: everything under `/api/` that fails answers in this form (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

PREFIX = "/api/"
MEDIA_TYPE = "application/problem+json"
NO_TYPE = "about:blank"


def asked_by_program(request: HttpRequest) -> bool:
    """Whether a program sent the request. The address decides, not the formats that the client accepts."""
    return request.path.startswith(PREFIX)


def problem_response(
    request: HttpRequest, status: int, detail: str, *, kind: str = NO_TYPE, title: str = "", **more: Any
) -> HttpResponse:
    """Describe what went wrong: `detail` is a sentence for the person at the program, `more` are fields of the kind."""
    body = {
        "type": kind,
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "request_id": getattr(request, "request_id", ""),
        **more,
    }
    response = JsonResponse(body, status=status, content_type=MEDIA_TYPE)
    response.content += b"\n"
    return response

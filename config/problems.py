"""Errors as programs read them: the one form of everything under `/api/` that fails (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

PREFIX = "/api/"
MEDIA_TYPE = "application/problem+json"
NO_TYPE = "about:blank"


def asked_by_program(request: HttpRequest) -> bool:
    """Whether the answer is for a program: by the address, whatever it says that it takes."""
    return request.path.startswith(PREFIX)


def problem_response(
    request: HttpRequest, status: int, detail: str, *, kind: str = NO_TYPE, title: str = "", **more: Any
) -> HttpResponse:
    """What went wrong: `detail` is a sentence for whoever runs the program, `more` what the kind adds."""
    body = {
        "type": kind,
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "request_id": getattr(request, "request_id", ""),
        **more,
    }
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)

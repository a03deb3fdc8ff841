"""Everything that a request can fail by, as a problem of RFC 9457."""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, UnreadablePostError
from django.urls import reverse
from rest_framework import exceptions, status
from rest_framework.request import Request

from annotation.importing import ImportRefusedError
from config.problems import problem_response
from reports.agreement_report import ChoiceInvalidError
from reports.exporting import ExportRefusedError

SENTENCES: Mapping[type[Exception], str] = {
    exceptions.NotAuthenticated: "Send a token, made on the study's page of tokens: Authorization: Bearer TOKEN.",
    exceptions.UnsupportedMediaType: "The body must be JSONL, sent as Content-Type: application/x-ndjson.",
    ExportRefusedError: "The export could not be written on the server: there may be no room. Try again later.",
}
HEARING_SECONDS = 1.0
HEADERS = ("auth_header", "WWW-Authenticate"), ("wait", "Retry-After")


class LengthRequiredError(exceptions.APIException):
    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_detail = "The body must come with its Content-Length, not in chunks of unknown number."


class TooLargeError(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE


def answer(problem: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """The response for an exception that a request may raise; None for one that nobody expected."""
    request = context["request"]
    _hear_out(request)
    if isinstance(problem, ImportRefusedError):
        return _refused(request, problem)
    status_of = _status(problem)
    if status_of is None:
        return None
    detail = SENTENCES.get(type(problem)) or str(problem)
    response = problem_response(request, status_of, detail)
    for attribute, header in HEADERS:
        value = getattr(problem, attribute, None)
        if value is not None:
            response[header] = str(value) if isinstance(value, str) else str(int(value) + 1)
    return response


def _hear_out(request: Request) -> None:
    """Read on in a body that is refused: a sender that is cut off while it sends never hears why.

    For callers that are known, and within bounds: four times the largest body, and about a second.
    """
    if request.method != "POST" or request.successful_authenticator is None:
        return
    left, end = 4 * settings.UPLOAD_BYTES, time.monotonic() + HEARING_SECONDS
    try:
        while left > 0 and time.monotonic() < end and (chunk := request.read(1 << 16)):
            left -= len(chunk)
    except UnreadablePostError:
        return


def _status(problem: Exception) -> int | None:
    if isinstance(problem, exceptions.APIException):
        return int(problem.status_code)
    known = {Http404: 404, PermissionDenied: 403, ChoiceInvalidError: 400, ExportRefusedError: 503}
    return known.get(type(problem))


def kind_of_refusal() -> str:
    """The type of the problem that carries the importer's own: where the documentation explains it."""
    return f"{reverse('api:docs')}#import-refused"


def _refused(request: Any, refused: ImportRefusedError) -> HttpResponse:
    """The importer's own problems, by line, field and reason; `more` where only the first are told."""
    listed = [
        {"file": one.file, "line": one.line, "field": one.field, "reason": one.reason} for one in refused.problems
    ]
    count = len(listed)
    what = (
        f"the first {count} problems are" if refused.more else "1 problem is" if count == 1 else f"{count} problems are"
    )
    return problem_response(
        request,
        400,
        f"Nothing was imported: {what} listed.",
        kind=kind_of_refusal(),
        title="Import refused",
        problems=listed,
        more=refused.more,
    )

"""Errors of the API as problem details (RFC 9457)."""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, UnreadablePostError
from django.urls import reverse
from rest_framework import exceptions, status
from rest_framework.request import Request

from accounts.audited_erasure import ErasureRefusedError
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.steered_items import ItemStepRefusedError
from config.problem_details import problem_response
from files.reading import ImportRefusedError
from files.writing import ExportRefusedError
from reports.figures.rows import ChoiceInvalidError

SENTENCES: Mapping[type[Exception], str] = {
    exceptions.NotAuthenticated: "Create a token on the study's Tokens page and send it: Authorization: Bearer TOKEN.",
    ExportRefusedError: "The server could not write the export; its disk may be full. Try again later.",
}
STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (Http404, 404), (PermissionDenied, 403), (ChoiceInvalidError, 400), (ExportRefusedError, 503),
    (StudyRefusedError, 409), (ItemStepRefusedError, 409), (ErasureRefusedError, 409),
)  # fmt: skip
DRAIN_SECONDS = 1.0
HEADERS = ("auth_header", "WWW-Authenticate"), ("wait", "Retry-After")


class LengthRequiredError(exceptions.APIException):
    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_detail = "Send the body with its Content-Length, not in chunks."


class ConflictError(exceptions.APIException):
    """Not possible in the present state; `more` are further fields of the problem."""

    status_code = status.HTTP_409_CONFLICT

    def __init__(self, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.more = more


class TooLargeError(exceptions.APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE


def answer(problem: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """The response for an exception that a request may raise; None for an unexpected one."""
    request = context["request"]
    _drain(request)
    if isinstance(problem, ImportRefusedError):
        return _refused(request, problem)
    status_of = _status(problem)
    if status_of is None:
        return None
    detail = SENTENCES.get(type(problem)) or str(problem)
    if isinstance(problem, exceptions.UnsupportedMediaType):
        taken = ", ".join(parser.media_type for parser in context["view"].parser_classes)
        detail = f"Send the body with one of these as its Content-Type: {taken}."
    response = problem_response(request, status_of, detail, **getattr(problem, "more", {}))
    for attribute, header in HEADERS:
        value = getattr(problem, attribute, None)
        if value is not None:
            response[header] = str(value) if isinstance(value, str) else str(int(value) + 1)
    return response


def _drain(request: Request) -> None:
    """Read the rest of a refused body: a client that is cut off while it sends never sees the reason.

    Only for authenticated callers, up to four times the largest body and about a second.
    """
    if request.method not in ("POST", "PATCH") or request.successful_authenticator is None:
        return
    left, end = 4 * settings.UPLOAD_BYTES, time.monotonic() + DRAIN_SECONDS
    try:
        while left > 0 and time.monotonic() < end and (chunk := request.read(1 << 16)):
            left -= len(chunk)
    except UnreadablePostError:
        return


def _status(problem: Exception) -> int | None:
    if isinstance(problem, exceptions.APIException):
        return int(problem.status_code)
    return next((status_of for kind, status_of in STATUSES if isinstance(problem, kind)), None)


def refusal_type() -> str:
    """The problem type of a refused import: the address of its explanation."""
    return f"{reverse('api:docs')}#import-refused"


def _refused(request: Any, refused: ImportRefusedError) -> HttpResponse:
    """The importer's problems by line, field and reason; `more` says whether only the first are listed."""
    listed = [
        {"file": one.file, "line": one.line, "field": one.field, "reason": one.reason} for one in refused.problems
    ]
    count = len(listed)
    what = "1 problem is" if count == 1 else f"{count} problems are"
    if refused.more:
        what = f"the first {count} of {count + refused.more} problems are"
    return problem_response(
        request,
        400,
        f"Nothing was imported: {what} listed.",
        kind=refusal_type(),
        title="Import refused",
        problems=listed,
        more=bool(refused.more),
    )

"""Responses with kept reports: the figures, or a request to come back when they are computed."""

import math
from datetime import timedelta
from typing import Any

from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Study
from api.requests.authentication import caller_of
from api.schema import WITHIN
from config.database_clock import database_now
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import CROWDED_WAIT, Kept, kept_report
from reports.pages.seen_results import ResultPage, note_seen
from reports.report_kinds import Choices

LONGEST_WAIT, FAILED_WAIT = 60.0, 300.0
WAITING = "Too many reports of this study, or of yours in it, are waiting. Ask again when one of them is computed."
COMPUTING = "The report is being computed. Send the same request again after the seconds in Retry-After."


class ReportsWaitingError(exceptions.APIException):
    """So many reports wait that this one was not queued."""

    status_code = 429
    default_detail = WAITING
    wait = CROWDED_WAIT


class ReportFailedError(exceptions.APIException):
    """The report could not be computed; it is tried again later."""

    status_code = 503
    wait = FAILED_WAIT


def kept_answer(request: Request, study: Study, key: str, choices: Choices) -> Response:
    """200 with the report if it is of the current data, or of data read `within` so many seconds; otherwise 202.

    Raises ChoiceInvalidError, ReportsWaitingError, ReportFailedError, ParseError and ImportPendingError.
    """
    seconds = _seconds(request)
    kept = kept_report(study, key, choices, caller_of(request).person)
    if kept.refused:
        raise ChoiceInvalidError(kept.refused)
    if kept.is_current or _is_recent(kept, seconds):
        note_seen(study, caller_of(request).person, ResultPage.API)
        return Response(kept.figures)
    if kept.is_crowded:
        raise ReportsWaitingError
    if kept.reason:
        raise ReportFailedError(f"The report could not be computed: {kept.reason}")
    body: dict[str, Any] = {"study": study.slug, "detail": COMPUTING, "read_at": kept.read_at}
    return Response(body, status=202, headers={"Retry-After": str(math.ceil(min(kept.wait, LONGEST_WAIT)))})


def _seconds(request: Request) -> int:
    given = request.query_params.get(WITHIN, "0")
    if not (given.isascii() and given.isdecimal() and len(given) <= 9):
        raise exceptions.ParseError(f"{WITHIN} takes a number of seconds.")
    return int(given)


def _is_recent(kept: Kept, seconds: int) -> bool:
    return kept.read_at is not None and kept.read_at > database_now() - timedelta(seconds=seconds)

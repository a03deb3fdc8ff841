"""Idempotency keys: a request that is sent again with its key gets the response of the first one.

The key is claimed before the work begins. The response is stored in the transaction of the work, so a process that is
killed leaves either both or neither. What it leaves of a claim ends after a while, and the request may be sent again.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, transaction
from rest_framework import exceptions
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import KeptResponse, Study
from api.background.response_upkeep import KEPT
from api.requests.authentication import caller_of
from config.database_clock import database_now

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEY = re.compile(r"[\x21-\x7e]{1,200}")
ABANDONED = timedelta(minutes=2)
"""A request that has not ended after so long was lost with its process."""
KEPT_HEADERS = ("Location", "Retry-After")
ATTEMPTS = 5


class OtherRequestError(exceptions.APIException):
    status_code = 422
    default_detail = "This Idempotency-Key was sent with another request. Use a new key for each request."


class UnderWayError(exceptions.APIException):
    """The first request with the key has not ended; its response is there soon."""

    status_code = 409
    wait = 1.0
    default_detail = "The request with this Idempotency-Key is still under way. Send it again in a few seconds."


class _LostError(Exception):
    """Another process has taken the key over; this one's work is undone."""


def once(request: Request, digest: str, work: Callable[[], Response], *, together: bool = True) -> Response:
    """Return the response of `work`, or the stored one if the request's key has been used for it.

    `digest` is that of the body. With `together`, the work and the response are one transaction; otherwise the work
    has transactions of its own, must be harmless if it is repeated, and its response is stored when it is done.
    Raises OtherRequestError, UnderWayError and ParseError.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return work()
    if not KEY.fullmatch(key):
        raise exceptions.ParseError(f"{HEADER} must be 1 to 200 printable ASCII characters without spaces.")
    about = f"{request.method} {request.get_full_path()} {digest}"
    row = _claim(request, key, hashlib.sha256(about.encode()).hexdigest())
    if row.status is not None:
        headers = {**row.headers, REPLAYED: "true"}
        return Response(json.loads(row.body) if row.body else None, status=row.status, headers=headers)
    try:
        if not together:
            response = work()
            _store(row, response)
            return response
        with transaction.atomic():
            response = work()
            if not _store(row, response):
                raise _LostError
            return response
    except _LostError:
        raise UnderWayError from None
    finally:
        # An exception has left no response, so that the key is free again.
        KeptResponse.objects.filter(pk=row.pk, attempt=row.attempt, status=None).delete()


def _claim(request: Request, key: str, digest: str) -> KeptResponse:
    """The row of a key: with a status if its response is stored, otherwise claimed by this request."""
    caller = caller_of(request)
    named = f"token {caller.token.pk}" if caller.token is not None else f"person {caller.person.pk}"
    for _ in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return KeptResponse.objects.create(
                    caller=named, person=caller.person, study=_study(request), key=key, digest=digest
                )
        except IntegrityError:
            row = KeptResponse.objects.filter(caller=named, key=key).first()
        if row is None:  # it has just been given up
            continue
        age = database_now() - row.begun_at
        if age < KEPT and row.digest != digest:
            raise OtherRequestError
        if age < KEPT and row.status is not None:
            return row
        if age < ABANDONED:
            raise UnderWayError
        if taken := _take_over(row, digest):
            return taken
    raise UnderWayError


def _take_over(row: KeptResponse, digest: str) -> KeptResponse | None:
    """The claim on a row that is too old or was abandoned; None if another request was faster."""
    attempt, now = uuid.uuid4(), database_now()
    mine = KeptResponse.objects.filter(pk=row.pk, attempt=row.attempt)
    if not mine.update(attempt=attempt, begun_at=now, digest=digest, status=None, body="", headers={}):
        return None
    row.attempt, row.begun_at, row.digest, row.status, row.body, row.headers = attempt, now, digest, None, "", {}
    return row


def _study(request: Request) -> Study | None:
    slug = (request.parser_context.get("kwargs") or {}).get("slug")
    return Study.objects.filter(slug=slug).first() if slug else None


def _store(row: KeptResponse, response: Response) -> bool:
    """Store a response under the claim; False if the claim was lost."""
    made = response.data.get("slug") if row.study_id is None and isinstance(response.data, dict) else None
    body = "" if response.data is None else JSONRenderer().render(response.data).decode()
    headers = {name: response[name] for name in KEPT_HEADERS if response.has_header(name)}
    mine = KeptResponse.objects.filter(pk=row.pk, attempt=row.attempt)
    study = Study.objects.filter(slug=made).first() if made else row.study
    return bool(mine.update(status=response.status_code, body=body, headers=headers, study=study))

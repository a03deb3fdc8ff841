"""Kept exports in the API: start or take one, list them, see how far one is, download its file."""

from collections.abc import Callable
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.auditing import record
from annotation.access import NOTHING
from annotation.models import Study
from api import access
from api.requests.authentication import caller_of
from api.requests.parameters import check_parameters
from api.response_shapes import ProblemSerializer
from api.schema import READING, REASONS, parameter
from config.problem_details import MEDIA_TYPE
from reports.access import kept_export_of
from reports.kept.file_download import ZIP, send_file
from reports.kept.kept_exports import (
    all_forms,
    download_name,
    exports_of,
    place_of,
    request_export,
)
from reports.kept.kept_exports import (
    export_state as state_of,
)
from reports.models import KeptExport
from reports.pages.seen_results import ResultPage, note_seen

GET = ("GET", "HEAD")
MOST = 100
WAIT = 2
NOT_READY = "The file is not written yet. Ask for the state of the export until it is done."
GONE = "The file was removed: {} Start a new export."
WAITS = "The export is in the queue or being written: read it again after the seconds in Retry-After."
OWN_REASONS = {
    409: "The file is not written yet.", 410: "The file was removed; the state of the export says why.",
    206: "The part of the file that the header Range asks for.", 304: "The caller has this very file.",
}  # fmt: skip


class NotWrittenError(exceptions.APIException):
    """The worker has not finished."""

    status_code = 409
    default_detail = NOT_READY
    wait = WAIT


class RemovedFileError(exceptions.APIException):
    """The export is a tombstone."""

    status_code = 410


class ExportedFileSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="The file's place in the archive.")
    bytes = serializers.IntegerField(min_value=0)
    sha256 = serializers.CharField()


class KeptExportSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    study = serializers.CharField()
    format = serializers.CharField(help_text="The format of the tables, or bundle.")
    status = serializers.CharField(help_text="queued, running, done, failed or stopped.")
    step = serializers.CharField(allow_blank=True, help_text="What the worker does now.")
    reason = serializers.CharField(allow_blank=True, help_text="Why there is no file, or why it waits.")
    requested_at = serializers.DateTimeField()
    read_at = serializers.DateTimeField(allow_null=True, help_text="When the data were read.")
    current = serializers.BooleanField(help_text="Whether the file has the present data.")
    bytes = serializers.IntegerField(min_value=0)
    sha256 = serializers.CharField(allow_blank=True, help_text="Of the file; empty until it is written.")
    file = serializers.CharField(allow_null=True, help_text="The address of the file; null if there is none.")
    files = ExportedFileSerializer(many=True, help_text="The files in the archive.")
    removed_at = serializers.DateTimeField(allow_null=True)
    removed_for = serializers.CharField(allow_blank=True, help_text="Why the file was removed.")


class KeptExportsSerializer(serializers.Serializer):
    exports = KeptExportSerializer(many=True)


def _documented(name: str, summary: str, says: str, problems: tuple[int, ...], **more: Any) -> Callable[[Any], Any]:
    """Document an operation whose responses are `answers`, by status and media type."""
    answers = more.pop("answers")
    responses = {
        key: OpenApiResponse(shape, description=OWN_REASONS.get(key[0]) or (WAITS if key[0] == 202 else "Done."))
        for key, shape in answers.items()
    }
    for status in problems:
        told = REASONS.get(status) or OWN_REASONS[status]
        responses[(status, MEDIA_TYPE)] = OpenApiResponse(ProblemSerializer, description=told)
    return extend_schema(
        operation_id=name, summary=summary, description=says, responses=responses, request=None, **more
    )  # fmt: skip


JSON = "application/json"
EXAMPLE = {
    "id": 3, "study": "ferries", "format": "jsonl", "status": "done", "step": "", "reason": "",
    "requested_at": "2026-11-22T18:00:00Z", "read_at": "2026-11-22T18:00:01Z", "current": True, "bytes": 20480,
    "sha256": "9f" * 32, "file": "/api/studies/ferries/exports/3/file",
    "files": [{"name": "ferries/items.jsonl", "bytes": 512, "sha256": "8e" * 32}], "removed_at": None,
    "removed_for": "",
}  # fmt: skip


def _example(value: Any) -> list[OpenApiExample]:
    return [OpenApiExample("received", value=value, response_only=True, status_codes=["200"], media_type=JSON)]


STARTS = _documented(
    "start_export", "Start an export",
    "Takes the kept export of the present data in this format (200), or has a worker write one (202). For tokens, and "
    "for signed-in people with the header X-CSRFToken.",
    (400, 401, 403, 404, 411, 413, 415, 429, 503), methods=["POST"],
    parameters=[parameter("format", "A format of the tables, jsonl by default, or bundle.", enum=all_forms())],
    answers={(200, JSON): KeptExportSerializer, (202, JSON): KeptExportSerializer}, examples=_example(EXAMPLE),
)  # fmt: skip
LISTS = _documented(
    "list_exports", "Kept exports", "The newest exports, those without a file included: they say why it was removed.",
    (400, *READING), methods=["GET"], answers={(200, JSON): KeptExportsSerializer},
    examples=_example({"exports": [EXAMPLE]}),
)  # fmt: skip


@LISTS
@STARTS
@api_view([*GET, "POST"])
def exports(request: Request, slug: str) -> Response:
    caller = caller_of(request)
    if request.method != "POST":
        check_parameters(request)
        study = access.study_open_to(caller, slug)
        rows = exports_of(study).order_by("-pk")[:MOST]
        state = state_of(study)
        return Response({"exports": [_described(row, study, state) for row in rows]})
    check_parameters(request, ("format",))
    study = access.study_open_to(caller, slug)
    form = request.query_params.get("format", all_forms()[0])
    if form not in all_forms():
        raise exceptions.ParseError(f"format must be {' or '.join(all_forms())}.")
    row = request_export(study, form, caller.person, caller.named)
    return _state(row, study)


@_documented(
    "read_export", "State of an export", "How far the worker is, and then the address, size and SHA-256 of the file.",
    (400, *READING), answers={(200, JSON): KeptExportSerializer, (202, JSON): KeptExportSerializer},
    examples=_example(EXAMPLE),
)  # fmt: skip
@api_view(GET)
def export_state(request: Request, slug: str, pk: int) -> Response:
    check_parameters(request)
    study = access.study_open_to(caller_of(request), slug)
    return _state(kept_export_of(study, pk), study)


@_documented(
    "download_export", "File of an export",
    "The zip archive, with its length and its SHA-256 as ETag. A Range that begins at a byte continues a download.",
    (400, 401, 404, 409, 410, 429, 503),
    parameters=[OpenApiParameter("Range", OpenApiTypes.STR, OpenApiParameter.HEADER, description="bytes=N-")],
    answers={(200, ZIP): bytes, (206, ZIP): bytes, (304, ZIP): None},
)  # fmt: skip
@api_view(GET)
def export_file(request: Request, slug: str, pk: int) -> HttpResponseBase:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_open_to(caller, slug)
    row = kept_export_of(study, pk)
    if row.removed_at is not None:
        raise RemovedFileError(GONE.format(row.removed_for))
    if not row.has_file:
        raise NotWrittenError
    try:
        response = send_file(request._request, place_of(row), download_name(row), row.sha256)
    except FileNotFoundError:
        raise Http404(NOTHING) from None
    note_seen(study, caller.person, ResultPage.EXPORT)
    if caller.token is not None and request.method == "GET" and response.status_code == 200:
        new = {"via": caller.named}
        record("export downloaded", f"export {row.pk}", actor=caller.person, study=study.slug, new=new)
    return response


def _state(row: KeptExport, study: Study) -> Response:
    address = reverse("api:kept_export", args=[study.slug, row.pk])
    body = _described(row, study, state_of(study))
    if row.is_waiting:
        return Response(body, status=202, headers={"Retry-After": str(WAIT), "Location": address})
    return Response(body, headers={"Location": address})


def _described(row: KeptExport, study: Study, state: str) -> dict[str, Any]:
    file = reverse("api:kept_export_file", args=[study.slug, row.pk]) if row.has_file else None
    return {
        "id": row.pk, "study": study.slug, "format": row.form, "status": row.status, "step": row.step,
        "reason": row.reason, "requested_at": row.created_at, "read_at": row.read_at,
        "current": row.has_file and row.state == state, "bytes": row.size, "sha256": row.sha256, "file": file,
        "files": row.contents, "removed_at": row.removed_at, "removed_for": row.removed_for,
    }  # fmt: skip

"""Large files through the API: sent in parts, checked and imported by workers, as on the page that uploads them."""

from typing import Any

from django.conf import settings
from django.http import Http404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NOTHING
from annotation.models import Study
from api import access
from api.lists.keyset_pages import numbered
from api.requests.api_errors import ConflictError, LengthRequiredError, TooLargeError
from api.requests.authentication import caller_of
from api.requests.json_bodies import sent_as
from api.requests.once_per_key import once
from api.requests.parameters import check_parameters
from api.schema import DELETING, JSON, READING, UPLOADING, operation, parameter
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.background.rows import Status
from config.middleware import stated_length
from managing.models import ItemUpload, UploadStep
from managing.uploads import receiving
from managing.uploads.receiving import PartMisplacedError, UploadRefusedError
from managing.uploads.upload_page import UploadPage, upload_page

OFFSET = "offset"
MISPLACED = "The next part begins at byte {}."
EXAMPLE = {
    "number": 4, "table": "items", "name": "items.jsonl", "size": 52_428_800, "received": 52_428_800,
    "state": "checked", "part_bytes": receiving.PART, "read": 52_428_800,
    "findings": {"added": {"items": 40_000, "outputs": 80_000, "raters": 0}}, "reason": "",
}  # fmt: skip


class FileUploadSerializer(serializers.Serializer):
    number = serializers.IntegerField(min_value=1)
    table = serializers.ChoiceField(ItemUpload.Table.values)
    name = serializers.CharField()
    size = serializers.IntegerField(min_value=1)
    received = serializers.IntegerField(min_value=0, help_text="Bytes; the next part begins there.")
    state = serializers.ChoiceField(
        ["receiving", "checking", "checked", "refused", "importing", "imported", "failed", "deleted"]
    )
    part_bytes = serializers.IntegerField(min_value=1, help_text="The most bytes of a part.")
    read = serializers.IntegerField(min_value=0, help_text="How many bytes the newest step has read.")
    findings = serializers.DictField(help_text="What the newest step found: counts, and problems by line.")
    reason = serializers.CharField(allow_blank=True, help_text="Why the newest step failed or waits.")


class AnnouncedFileSerializer(serializers.Serializer):
    table = serializers.ChoiceField([one for one in ItemUpload.Table.values if one != receiving.WHOLE])
    name = serializers.CharField(max_length=1000, help_text="Ends in .jsonl or .csv; .json: of another tool.")
    size = serializers.IntegerField(min_value=1, max_value=2**62)


class ImportReasonSerializer(serializers.Serializer):
    reason = serializers.CharField(required=False, allow_blank=True, max_length=5000)


@operation(
    "begin_upload",
    "Begin an upload",
    "Announces a file that will be sent in parts. A study takes one file at a time.",
    FileUploadSerializer,
    UPLOADING,
    sends={JSON: AnnouncedFileSerializer},
    status=201,
    keyed=True,
    sent={"table": "items", "name": "items.jsonl", "size": 52_428_800},
    example={**EXAMPLE, "received": 0, "state": "receiving", "read": 0, "findings": {}},
)
def begin(request: Request, slug: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    sent = sent_as(request, AnnouncedFileSerializer)
    if sent.data["size"] > settings.STUDY_UPLOAD_BYTES:
        raise TooLargeError(receiving.TOO_LARGE.format(settings.STUDY_UPLOAD_BYTES // 2**20))

    def work() -> Response:
        try:
            made = receiving.begin_upload(study, person=caller.person, **sent.data)
        except UploadRefusedError as problem:
            raise ConflictError(str(problem)) from None
        address = reverse("api:upload", args=[slug, made.pk])
        return Response(_described(made), status=201, headers={"Location": address})

    return once(request, sent.digest, work)


@operation(
    "read_upload",
    "Upload",
    "How far a file is, and what was found in it.",
    FileUploadSerializer,
    (400, *READING),
    example=EXAMPLE,
)
def read(request: Request, slug: str, number: int) -> Response:
    check_parameters(request)
    return Response(_described(_upload(access.study_open_to(caller_of(request), slug), number)))


@operation(
    "add_part",
    "Add a part",
    "Adds the bytes of the body to the file. 409 says in `received` where the next part begins.",
    FileUploadSerializer,
    UPLOADING,
    sends={"application/octet-stream": bytes},
    parameters=(parameter(OFFSET, "The byte of the file at which the part begins.", required=True),),
    example=EXAMPLE,
)
def add_part(request: Request, slug: str, number: int) -> Response:
    check_parameters(request, (OFFSET,))
    caller = caller_of(request)
    upload = _upload(access.study_to_write(caller, slug), number)
    offset = request.query_params.get(OFFSET, "")
    if not (offset.isascii() and offset.isdecimal() and len(offset) < 19):
        raise ParseError(f"{OFFSET} must be the byte at which the part begins.")
    if "Transfer-Encoding" in request.headers:
        raise LengthRequiredError
    length = stated_length(request)
    if length > receiving.largest_part():
        raise TooLargeError(f"A part may have at most {receiving.largest_part()} bytes.")
    stream = request.data
    if not length:
        raise ParseError("The body is empty. Send a part of the file.")
    try:
        receiving.receive_part(upload, int(offset), length, stream, caller.person)
    except PartMisplacedError as misplaced:
        raise ConflictError(MISPLACED.format(misplaced.received), received=misplaced.received) from None
    except UploadRefusedError as problem:
        raise ConflictError(str(problem)) from None
    return Response(_described(upload))


@operation(
    "import_upload",
    "Import an upload",
    "Imports a file whose dry run has found no problem. Workers do it; read the upload until it is imported.",
    FileUploadSerializer,
    UPLOADING,
    sends={JSON: ImportReasonSerializer},
    status=202,
    keyed=True,
    sent={},
    example={**EXAMPLE, "state": "importing", "findings": {}},
)
def bring_in(request: Request, slug: str, number: int) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    upload = _upload(access.study_to_write(caller, slug), number)
    sent = sent_as(request, ImportReasonSerializer)

    def work() -> Response:
        try:
            receiving.request_import(upload, caller.person, sent.data.get("reason", ""))
        except UploadRefusedError as problem:
            raise ConflictError(str(problem)) from None
        return Response(_described(upload), status=202)

    return once(request, sent.digest, work)


@operation(
    "discard_upload",
    "Delete an upload",
    "Deletes the file; work on it is stopped first: then 202, and the request is sent again.",
    None,
    DELETING,
    status=204,
    later=FileUploadSerializer,
)
def discard(request: Request, slug: str, number: int) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    upload = _upload(access.study_to_write(caller, slug), number)
    step = upload.steps.order_by("-pk").first()
    if step is not None and step.is_waiting and ask_to_stop(works()[receiving.WORK_KEY], step):
        return Response(_described(upload), status=202)
    try:
        receiving.discard(upload, caller.person)
    except UploadRefusedError as problem:
        raise ConflictError(str(problem)) from None
    return Response(status=204)


def _upload(study: Study, number: int) -> ItemUpload:
    upload = numbered(ItemUpload.objects.select_related("study").filter(study=study), number)
    if not isinstance(upload, ItemUpload):
        raise Http404(NOTHING)
    return upload


def _described(upload: ItemUpload) -> dict[str, Any]:
    upload.refresh_from_db()
    page = upload_page(upload)
    step = page.step
    findings = {name: said for name, said in page.findings.items() if name != "asked" or page.names_fields}
    return {
        "number": upload.pk, "table": upload.table, "name": upload.name, "size": upload.size,
        "received": upload.received, "state": _state(upload, page), "part_bytes": receiving.largest_part(),
        "read": step.read if step else 0, "findings": findings, "reason": step.reason if step else "",
    }  # fmt: skip


def _state(upload: ItemUpload, page: UploadPage) -> str:
    step = page.step
    if page.is_working and step is not None:
        return "importing" if step.kind == UploadStep.Kind.IMPORT else "checking"
    if page.is_imported:
        return "imported"
    if step is not None and step.status in (Status.FAILED, Status.STOPPED):
        return "failed"
    if not upload.has_file:
        return "deleted"
    if page.is_checked:
        return "refused" if page.problems else "checked"
    return "receiving"

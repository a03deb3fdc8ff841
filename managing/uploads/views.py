"""The page on which a study gets items or ratings from a file: upload, dry run, import."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study
from annotation.protocols import protocols
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.htmx_request import HtmxRequest
from config.middleware import stated_length
from managing.access import upload_for
from managing.models import ItemUpload
from managing.uploads import receiving
from managing.uploads.forms import AnnouncedForm, ContinuedForm, ImportForm, PartForm, UploadForm
from managing.uploads.receiving import PartMisplacedError, UploadRefusedError
from managing.uploads.upload_page import state_context, upload_page

RECENT = 10
OF_CONTINUED = ("received", "checksum")
"""What is said of a file of which a part has arrived."""
TOO_LARGE = "Without scripts a file may have at most {} MB. Allow scripts for this site, and it is sent in parts."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the uploads of late. A POST brings a whole file, from a browser without scripts."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    if request.method != "POST":
        return _page(request, study)
    form = UploadForm(request.POST, request.FILES, study=study)
    if stated_length(request) > settings.UPLOAD_BYTES:
        form.fields["file"].error_messages["required"] = TOO_LARGE.format(settings.UPLOAD_BYTES // 2**20)
    if not form.is_valid():
        return _page(request, study, form, 422)
    try:
        found = receiving.receive_files(study, form.cleaned_data["table"], form.cleaned_data["file"], person)
    except UploadRefusedError as problem:
        form.add_error("file", str(problem))
        return _page(request, study, form, 422)
    return redirect("managing:uploaded", slug=slug, pk=found.pk)


def _page(request: HttpRequest, study: Study, form: UploadForm | None = None, status: int = 200) -> HttpResponse:
    unfinished = receiving.unfinished_upload(study, person_of(request))
    context = {
        "study": study,
        "form": form or UploadForm(study=study, initial={"table": unfinished.table} if unfinished else None),
        "has_outputs": protocols()[study.protocol].files.needs_outputs,
        "part": receiving.largest_part(),
        "limit": settings.STUDY_UPLOAD_BYTES,
        "uploads": [upload_page(one) for one in _recent(study)],
        "waiting": receiving.file_of_another(study, person_of(request)),
        "unfinished": unfinished,
        "kept_days": receiving.KEPT.days,
    }
    return render(request, "managing/upload.html", context, status=status)


def _recent(study: Study) -> list[ItemUpload]:
    found = ItemUpload.objects.filter(study=study).select_related("study", "person").prefetch_related("steps")
    return list(found.order_by("-pk")[:RECENT])


@require_POST
@signed_in
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin an upload in parts, or continue one of the same file; the answer says where they go.

    409 says in `received` how much has arrived if it is not what the page knew.
    """
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    continues = "received" in request.POST
    form = ContinuedForm(request.POST) if continues else AnnouncedForm(request.POST)
    if not form.is_valid():
        return JsonResponse({"problem": "Choose a file."}, status=422)
    try:
        announced = form.announced()
        found = receiving.continue_upload(study, person=person, **announced) if continues else None
        if found is None:
            own = {name: value for name, value in announced.items() if name not in OF_CONTINUED}
            found = receiving.begin_upload(study, person=person, **own)
    except PartMisplacedError as misplaced:
        return JsonResponse({"received": misplaced.received}, status=409)
    except UploadRefusedError as problem:
        return JsonResponse({"problem": str(problem)}, status=422)
    return _begun(slug, found)


def _begun(slug: str, found: ItemUpload) -> JsonResponse:
    arguments = [slug, found.pk]
    addresses = {
        "parts": reverse("managing:upload_part", args=arguments),
        "page": reverse("managing:uploaded", args=arguments),
    }
    return JsonResponse({"received": found.received, **addresses}, status=200 if found.received else 201)


@require_POST
@signed_in
def part(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the next part of a file; the answer says how much of it has arrived."""
    person = person_of(request)
    found = upload_for(person, slug, pk)
    form = PartForm(request.GET)
    if not form.is_valid():
        return JsonResponse({"problem": "Say at which offset the part begins."}, status=422)
    try:
        length = stated_length(request)
        received = receiving.receive_part(found, form.cleaned_data["offset"], length, request, person)
    except PartMisplacedError as misplaced:
        return JsonResponse({"received": misplaced.received}, status=409)
    except UploadRefusedError as problem:
        return JsonResponse({"problem": str(problem)}, status=507)
    return JsonResponse({"received": received})


@require_safe
@signed_in
def uploaded(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """How far an upload is, what its dry run found, and what can be done next; polls itself while work goes on."""
    person = person_of(request)
    template = "managing/_upload_state.html" if request.htmx else "managing/uploaded.html"
    return render(request, template, state_context(upload_for(person, slug, pk), person))


@require_POST
@signed_in
def bring_in(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Import a file whose dry run found no problem."""
    person = person_of(request)
    found, form = upload_for(person, slug, pk), ImportForm(request.POST)
    if not form.is_valid():
        messages.error(request, "The reason is too long, or has characters that cannot be stored.")
        return redirect("managing:uploaded", slug=slug, pk=pk)
    try:
        receiving.request_import(found, person, form.cleaned_data["reason"])
    except UploadRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("managing:uploaded", slug=slug, pk=pk)


@require_POST
@signed_in
def check_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Run the dry run again."""
    found = upload_for(person_of(request), slug, pk)
    try:
        receiving.request_check(found)
    except UploadRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("managing:uploaded", slug=slug, pk=pk)


@require_POST
@signed_in
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop the work on a file; if there is none, delete the file."""
    person = person_of(request)
    found = upload_for(person, slug, pk)
    step = found.steps.order_by("-pk").first()
    if step is not None and step.is_waiting and ask_to_stop(works()[receiving.WORK_KEY], step):
        return redirect("managing:uploaded", slug=slug, pk=pk)
    try:
        receiving.discard(found, person)
        messages.success(request, "The file was deleted.")
    except UploadRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("managing:upload", slug=slug)

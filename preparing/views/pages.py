"""The page of a study's preparation, and the actions on it that have no page of their own."""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.models import Study
from config.background.workers import worker_status
from config.body_length import stated_length
from config.htmx_request import HtmxRequest
from judges.form_choices import judging_models
from preparing.access import study_to_prepare
from preparing.document_drawing import draw_documents
from preparing.document_sampling import DocumentsRefusedError
from preparing.forms import DrawForm
from preparing.models import DocumentSample
from preparing.placing import place_items
from preparing.prepare_page import prepare_page
from preparing.step_configuration import PreparationRefusedError


@require_safe
@signed_in
def prepare(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show how far the preparation is; to htmx the part that changes while models write."""
    study = study_to_prepare(person_of(request), slug)
    if request.htmx:
        return render(request, "preparing/_state.html", {"study": study, "page": prepare_page(study)})
    return _page(request, study)


def _page(request: HttpRequest, study: Study, form: DrawForm | None = None, status: int = 200) -> HttpResponse:
    context = {
        "study": study,
        "page": prepare_page(study),
        "draw_form": form or DrawForm(auto_id="draw-%s"),
        "models": judging_models(),
        "workers": worker_status(),
    }
    return render(request, "preparing/prepare.html", context, status=status)


@require_POST
@signed_in
def draw(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw documents from an uploaded file."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    form = DrawForm(request.POST, request.FILES, length=stated_length(request), auto_id="draw-%s")
    if not form.is_valid():
        return _page(request, study, form, 422)
    data, uploaded = form.cleaned_data, form.cleaned_data["file"]
    try:
        with TemporaryDirectory(prefix="interrater-documents-") as folder:
            sample: DocumentSample = draw_documents(
                study, _stored(uploaded, Path(folder)), person, per_source=data["per_source"], words=form.words(),
                seed=data["seed"], name=uploaded.name or "",
            )  # fmt: skip
    except (DocumentsRefusedError, PreparationRefusedError) as problem:
        form.add_error("file", str(problem))
        return _page(request, study, form, 422)
    messages.success(request, f"{sample.documents.count():,} documents drawn.")
    return redirect("preparing:prepare", slug=slug)


def _stored(uploaded: UploadedFile, folder: Path) -> Path:
    """Write an uploaded file to disk and return its path."""
    path = folder / "documents.jsonl"
    with path.open("wb") as file:
        for chunk in uploaded.chunks():
            file.write(chunk)
    return path


@require_POST
@signed_in
def place(request: HttpRequest, slug: str) -> HttpResponse:
    """Put what is ready into the study."""
    person = person_of(request)
    study = study_to_prepare(person, slug)
    try:
        added = place_items(study, person).added
    except PreparationRefusedError as problem:
        messages.error(request, problem.reason)
    else:
        outputs = f" and {added['outputs']:,} outputs" if added.get("outputs") else ""
        messages.success(request, f"{added['items']:,} items{outputs} added to the study.")
    return redirect("preparing:prepare", slug=slug)

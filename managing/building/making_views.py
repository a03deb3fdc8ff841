"""Pages that make studies from templates, files and other studies."""

from pathlib import Path

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, refuse_unless_maker, studies_of, study_for
from annotation.models import Item, ItemCopy, Study
from annotation.studies.kept_counts import MOST_AT_ONCE, exceeds
from annotation.studies.slugs import proposed_slug
from config.htmx_request import HtmxRequest
from files.entered.drafts import make_draft
from files.import_problems import ImportRefusedError
from files.reading.study_file import parsed_study
from managing.building.duplicating import duplicate as duplicate_study
from managing.building.making_forms import LONGEST_TITLE, DuplicateForm, NamesForm, StudyUploadForm
from managing.building.template_library import study_templates
from managing.uploads.receiving import WHOLE, UploadRefusedError, receive_files

EMPTY = {
    "protocol": "rating", "redundancy": 1,
    "questions": [{"key": "note", "type": "text", "text": "Anything to add?", "required": False}],
}  # fmt: skip
"""A draft whose questions will come from files in another format."""
MOST_LISTED = 200
"""Studies of somebody that the page lists, newest first."""


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new_study(request: HttpRequest) -> HttpResponse:
    """Show what a study can be made from; make one from an uploaded study file."""
    person = person_of(request)
    refuse_unless_maker(person)
    form = StudyUploadForm(request.POST, request.FILES) if request.method == "POST" else StudyUploadForm()
    if form.is_bound and form.is_valid():
        try:
            if form.is_other:
                return _draft_of_files(request, form)
            [file] = form.cleaned_data["file"]
            body = parsed_study(file.read(), file.name or "")
            if isinstance(body, dict) and form.cleaned_data["slug"]:
                body["slug"] = form.cleaned_data["slug"]
            return _made(request, make_draft(body, person))
        except ImportRefusedError as refused:
            form.tell(refused)
    mine = studies_of(person, RESEARCHERS).order_by("-pk")[:MOST_LISTED]
    context = {"templates": study_templates().values(), "studies": mine, "form": form}
    return render(request, "managing/new_study.html", context, status=422 if form.is_bound else 200)


def _draft_of_files(request: HttpRequest, form: StudyUploadForm) -> HttpResponse:
    """Make a draft that takes its questions, items and answers from files in another format, once they were checked.

    Raises ImportRefusedError.
    """
    person, files = person_of(request), form.cleaned_data["file"]
    title = Path(files[0].name).stem[:LONGEST_TITLE] or "Study"
    study = make_draft({**EMPTY, "slug": form.cleaned_data["slug"] or proposed_slug(title), "title": title}, person)
    try:
        found = receive_files(study, WHOLE, files, person)
    except UploadRefusedError as problem:
        messages.error(request, str(problem))
        return redirect("managing:upload", slug=study.slug)
    messages.success(request, f"The draft {study} is made. Check how its file is read, then import it.")
    return redirect("managing:uploaded", slug=study.slug, pk=found.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def from_template(request: HttpRequest, key: str) -> HttpResponse:
    """Show what a template makes, and make a study from it."""
    person = person_of(request)
    refuse_unless_maker(person)
    template = study_templates().get(key)
    if template is None:
        raise Http404(NOTHING)
    form = NamesForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            return _made(request, make_draft({**template.body, **form.names()}, person))
        except ImportRefusedError as refused:
            form.tell(refused)
    context = {"template": template, "form": form}
    return render(request, "managing/from_template.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def duplicate(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a draft that asks what another study asks."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    refuse_unless_maker(person)
    form = DuplicateForm(request.POST if request.method == "POST" else None, initial={"title": f"Copy of {study}"})
    if form.is_bound and form.is_valid():
        try:
            made = duplicate_study(study, person, **form.names(), with_items=form.cleaned_data["with_items"])
            return _made(request, made)
        except ImportRefusedError as refused:
            form.tell(refused)
    items = Item.objects.filter(study=study)
    count = None if exceeds(items, MOST_AT_ONCE) else items.count()
    context = {"study": study, "form": form, "items": count, "most": MOST_AT_ONCE}
    return render(request, "managing/duplicate.html", context, status=422 if form.is_bound else 200)


@require_safe
@signed_in
def copying(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show how the copying of items into a draft goes; to htmx the state alone."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    row = ItemCopy.objects.filter(study=study).order_by("-pk").first()
    context = {"study": study, "row": row, "next": next_address(study)}
    return render(request, "managing/_copying.html" if request.htmx else "managing/copying.html", context)


def _made(request: HttpRequest, study: Study) -> HttpResponse:
    messages.success(request, f"The draft {study} is made. Nobody but you sees it yet.")
    if ItemCopy.objects.filter(study=study).exists():
        return redirect("managing:copying", slug=study.slug)
    return redirect(next_address(study))


def next_address(study: Study) -> str:
    """Return the page on which a new draft is continued."""
    return reverse("managing:build", args=[study.slug])

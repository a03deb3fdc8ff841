"""A study's guidelines: its members read any version, the people who run it write new ones."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import MEMBERS, NOTHING, RESEARCHERS, may, study_for
from annotation.forms import GuidelinesForm, GuidelinesVersionForm
from annotation.models import Guideline, Study
from annotation.studies.guideline_text import render as render_markdown
from annotation.studies.lifecycle import publish_guidelines
from config.htmx_request import HtmxRequest
from config.parts import parts_of


@require_safe
@signed_in
def guidelines(request: HtmxRequest, slug: str) -> HttpResponse:
    """The current version, or `?version=N`; to htmx only the text."""
    person = person_of(request)
    study = study_for(person, slug, MEMBERS)
    versions = list(study.guidelines.order_by("-number").values_list("number", flat=True))
    shown = _version(study, request.GET.get("version", ""))
    context = {
        "study": study,
        "versions": versions,
        "shown": shown,
        "newest": versions[0] if versions else None,
        "html": render_markdown(shown.text) if shown else "",
        "runs": may(person, study, RESEARCHERS),
    }
    template = "annotation/_guidelines.html" if request.htmx else "annotation/guidelines.html"
    return render(request, template, context)


def _version(study: Study, number: str) -> Guideline | None:
    versions = study.guidelines.order_by("-number")
    if not number:
        return versions.first()
    form = GuidelinesVersionForm({"version": number})
    found = versions.filter(number=form.cleaned_data["version"]).first() if form.is_valid() else None
    if found is None:
        raise Http404(NOTHING)
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit_guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Publish a new version, or show a preview of it."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    newest = study.guidelines.order_by("-number").first()
    steps = parts_of(study).steps
    repeated = None if newest is None or steps is None else steps.repeated(study)
    form = GuidelinesForm(
        request.POST if request.method == "POST" else None,
        initial={"text": newest.text if newest else ""},
        locked=study.locked_at is not None,
        repeated=repeated,
    )
    preview = None
    status = 200
    if request.method == "POST":
        if not form.is_valid():
            status = 422
        elif "preview" in request.POST:
            preview = render_markdown(form.cleaned_data["text"])
        else:
            published = publish_guidelines(
                study, form.cleaned_data["text"], person, form.cleaned_data.get("reason", ""),
                changes_meaning=form.cleaned_data["changes_meaning"],
            )  # fmt: skip
            messages.success(request, f"Version {published.number} is published.")
            return redirect("annotation:guidelines", slug=slug)
    context = {"study": study, "form": form, "newest": newest, "preview": preview, "repeated": repeated}
    return render(request, "annotation/edit_guidelines.html", context, status=status)

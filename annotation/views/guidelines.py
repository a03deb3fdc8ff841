"""A study's guidelines: read by its members in any version, written by those who run it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import MEMBERS, NOTHING, RESEARCHERS, may, study_for
from annotation.forms import GuidelinesForm
from annotation.guidelines import render as render_markdown
from annotation.models import Guideline, Study
from annotation.running import publish_guidelines


@require_safe
@signed_in
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The version in force, or `?version=N`; to htmx the text alone."""
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
    fragment = request.headers.get("HX-Request") == "true"
    return render(request, "annotation/_guidelines.html" if fragment else "annotation/guidelines.html", context)


def _version(study: Study, number: str) -> Guideline | None:
    versions = study.guidelines.order_by("-number")
    if not number:
        return versions.first()
    # Nine digits fit any integer column; a longer number is no version of anything.
    whole = number.isascii() and number.isdigit() and len(number) < 10
    found = versions.filter(number=int(number)).first() if whole else None
    if found is None:
        raise Http404(NOTHING)
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit_guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Write a new version; with `preview` it is only shown."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    newest = study.guidelines.order_by("-number").first()
    form = GuidelinesForm(
        request.POST if request.method == "POST" else None, initial={"text": newest.text if newest else ""}
    )
    preview = None
    status = 200
    if request.method == "POST":
        if not form.is_valid():
            status = 422
        elif "preview" in request.POST:
            preview = render_markdown(form.cleaned_data["text"])
        else:
            published = publish_guidelines(study, form.cleaned_data["text"], person)
            messages.success(request, f"Version {published.number} is in force.")
            return redirect("annotation:guidelines", slug=slug)
    context = {"study": study, "form": form, "newest": newest, "preview": preview}
    return render(request, "annotation/edit_guidelines.html", context, status=status)

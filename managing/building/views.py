"""The page that builds a draft study: its description, questions and options, beside a preview of the rater's page."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study
from config.htmx_request import HtmxRequest
from files.entered.drafts import change_draft, is_changeable
from files.import_problems import ImportProblem, ImportRefusedError
from files.reading.study_file import checked_study
from files.writing.study_yaml import study_body
from managing.building.build_page import BuildPage, state_of_body
from managing.building.desk_preview import desk_preview
from managing.building.question_steps import take_step
from managing.building.study_form import body_of_texts

SAVE, OVERWRITE = "save", "overwrite"


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def build(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the forms of a draft; take a step in them, or save them."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if not is_changeable(study):
        return _fixed(request, study)
    kept = study_body(study)
    if request.method != "POST":
        return _page(request, BuildPage(study, kept, since=state_of_body(kept)))
    body, step = body_of_texts(request.POST.dict(), kept), request.POST.get("do", "")
    if step in (SAVE, OVERWRITE):
        return _save(request, study, body, is_changed=step == SAVE and request.POST.get("since") != state_of_body(kept))
    taken = take_step(body, step)
    problems = _problems_in(taken.body) if "checked" in request.POST else None
    since = request.POST.get("since", "")
    return _page(request, BuildPage(study, taken.body, since=since, problems=problems, step=taken))


def _save(request: HtmxRequest, study: Study, body: dict[str, Any], is_changed: bool) -> HttpResponse:
    since = request.POST.get("since", "")
    if is_changed:
        return _page(request, BuildPage(study, body, since=since, changed_meanwhile=True), 409)
    try:
        changed = change_draft(study, body, person_of(request))
    except ImportRefusedError as refused:
        return _page(request, BuildPage(study, body, since=since, problems=refused.problems), 422)
    messages.success(request, "Saved." if changed else "Nothing was changed.")
    return redirect("managing:build", slug=study.slug)


def _fixed(request: HttpRequest, study: Study) -> HttpResponse:
    """Say why the study cannot be changed."""
    status = 409 if request.method == "POST" else 200
    return render(request, "managing/built.html", {"study": study}, status=status)


def _problems_in(body: dict[str, Any]) -> tuple[ImportProblem, ...]:
    try:
        checked_study(body, "Study")
    except ImportRefusedError as refused:
        return refused.problems
    return ()


def _page(request: HtmxRequest, page: BuildPage, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"study": page.study, "builder": page}
    if request.htmx:
        return render(request, "managing/_build_form.html", context, status=status)
    shown = desk_preview(page.study, page.body)
    context |= {"preview": shown, "preview_page": render_to_string(shown.template, shown.context, request)}
    return render(request, "managing/build.html", context, status=status)


@require_POST
@signed_in
def build_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The page that raters would see, from the fields of the builder as they are now."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if study.status != Study.Status.DRAFT:
        return _fixed(request, study)
    shown = desk_preview(study, body_of_texts(request.POST.dict(), study_body(study)))
    response = render(request, shown.template, shown.context)
    response["X-Sample"] = "yes" if shown.is_sample else "no"
    response["X-Left-Out"] = str(shown.left_out)
    return response

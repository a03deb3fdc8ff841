"""Pages on which researchers watch a study: its progress, and where its raters disagree."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, study_for
from config.htmx_request import HtmxRequest
from managing.watching.disagreement_page import DisagreementForm, DisagreementPage
from managing.watching.disagreement_texts import disagreement_texts
from managing.watching.progress_page import ProgressPage
from reports.figures.rows import ChoiceInvalidError
from reports.pages.display.kept_status import shown_before
from reports.pages.display.page_files import file_response
from reports.pages.forms import choices_in
from reports.pages.seen_results import ResultPage, note_seen

UNCHANGED = 204


@require_safe
@signed_in
def progress(request: HtmxRequest, slug: str) -> HttpResponse:
    """How the study moves. An open page asks for its figures again; the overview asks for the most telling."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    context = ProgressPage(study, request.GET).context()
    part = "_glance" if request.htmx and request.GET.get("part") == "glance" else "_progress"
    if context["agreement"].is_there and part == "_progress":
        note_seen(study, person_of(request), ResultPage.DISAGREEMENT)
    if not request.htmx:
        return render(request, "managing/progress.html", context)
    return render(request, f"managing/{part}.html", context)


@require_safe
@signed_in
def disagreement(request: HtmxRequest, slug: str) -> HttpResponse:
    """Where the raters of a question disagree. A page that waits for figures asks again with what it has shown."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    try:
        page = DisagreementPage(study, choices_in(DisagreementForm(request.GET)), request.GET, person_of(request))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    before = shown_before(request.GET) if request.htmx else None
    if before is None and page.status.refused:
        raise Http404(NOTHING)
    if before == page.status.mark:
        return HttpResponse(status=UNCHANGED)
    if not page.status.placeholder:
        note_seen(study, person_of(request), ResultPage.DISAGREEMENT)
    template = "managing/disagreement.html" if before is None else "managing/_disagreement.html"
    return render(request, template, page.context())


@require_safe
@signed_in
def disagreement_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """One table about the disagreement on a question as a file."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    try:
        page = DisagreementPage(study, choices_in(DisagreementForm(request.GET)), request.GET, person_of(request))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    return file_response(request, study, key, ending, disagreement_texts(page.context()))

"""The report of a study, and the definitions of its figures."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from config.htmx_request import HtmxRequest
from reports.access import reported_study
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus, shown_before
from reports.pages.display.page_files import file_links, file_response, texts_of
from reports.pages.display.plot_page import one_plot, plot_file, plot_page
from reports.pages.display.question_sections import glance_table, glances
from reports.pages.forms import ReportPageForm, choices_in
from reports.pages.report_page import ReportPage
from reports.pages.seen_results import ResultPage, note_seen
from reports.pages.statistics_document import statistics_document
from reports.report_kinds.agreement import agreement_choices

UNCHANGED = 204


@require_safe
@signed_in
def report(request: HtmxRequest, slug: str) -> HttpResponse:
    """All figures, for the kinds of raters, the guidelines version and the labeller chosen in the address.

    A page that waits for figures asks again with what it has shown, and gets the part of the page that has changed.
    """
    study = reported_study(person_of(request), slug)
    try:
        page = ReportPage.of(study, choices_in(ReportPageForm(request.GET)), request.GET, person_of(request))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    before = shown_before(request.GET) if request.htmx else None
    if before is None and page.status.refused:
        raise Http404(NOTHING)
    if before == page.status.mark:
        return HttpResponse(status=UNCHANGED)
    if not page.status.placeholder:
        note_seen(study, person_of(request), ResultPage.REPORT)
    template = "reports/report.html" if before is None else "reports/_report.html"
    return render(request, template, page.context())


@require_safe
@signed_in
def report_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """One table of the report as a file, in the figures and the order that the page shows."""
    study = reported_study(person_of(request), slug)
    try:
        page = ReportPage.of(study, choices_in(ReportPageForm(request.GET)), request.GET, person_of(request))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    return file_response(request, study, key, ending, page.files())


@require_safe
@signed_in
def report_plot(request: HtmxRequest, slug: str, key: str, ending: str = "") -> HttpResponse:
    """A plot of the report: the page with its files, or one of them."""
    study = reported_study(person_of(request), slug)
    try:
        page = ReportPage.of(study, choices_in(ReportPageForm(request.GET)), request.GET, person_of(request))
    except ChoiceInvalidError as problem:
        raise Http404(NOTHING) from problem
    plot = one_plot(page.plots(), key)
    if ending:
        return plot_file(request, study, plot, ending, "reports:report")
    return plot_page(request, study, plot, "reports:report")


@require_safe
@signed_in
def glance_file(request: HtmxRequest, slug: str, key: str, ending: str) -> HttpResponse:
    """The table of the study's overview as a file."""
    study = reported_study(person_of(request), slug)
    kept = kept_report(study, "agreement", agreement_choices(), person_of(request))
    shown = glance_table(glances(study, kept.figures)) if kept.is_there else None
    return file_response(request, study, key, ending, texts_of([shown] if shown else []))


@require_safe
@signed_in
def glance(request: HtmxRequest, slug: str) -> HttpResponse:
    """The most telling alpha of each question, as a fragment of the study's overview."""
    study = reported_study(person_of(request), slug)
    kept = kept_report(study, "agreement", agreement_choices(), person_of(request))
    status = KeptStatus.of([kept], request.GET)
    if shown_before(request.GET) == status.mark:
        return HttpResponse(status=UNCHANGED)
    if kept.is_there:
        note_seen(study, person_of(request), ResultPage.OVERVIEW)
    found = glances(study, kept.figures) if kept.is_there else []
    links = file_links(reverse("reports:glance", args=[slug]), status)
    context = {"study": study, "status": status, "glances": found, "key": glance_table(found).key, **links}
    return render(request, "reports/_glance.html", context)


@require_safe
@signed_in
def statistics(request: HtmxRequest) -> HttpResponse:
    """The definitions of all figures."""
    return render(request, "reports/statistics.html", {"html": statistics_document()})

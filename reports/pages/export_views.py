"""The page Export: starts exports, shows those that are kept, and sends their files."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from reports.access import kept_export_for, reported_study
from reports.kept.file_download import send_file
from reports.kept.kept_exports import all_forms, download_name, place_of, request_export
from reports.pages.export_page import export_page
from reports.pages.seen_results import ResultPage, note_seen

VIA = "page"


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def exports(request: HtmxRequest, slug: str) -> HttpResponse:
    """The kept exports of a study. A POST takes the one of the present data, or starts one."""
    person = person_of(request)
    study = reported_study(person, slug)
    if request.method == "POST":
        form = request.POST.get("form", "")
        if form not in all_forms():
            context = {**export_page(study), "problem": True, "workers": worker_status()}
            return render(request, "reports/exports.html", context, status=422)
        row = request_export(study, form, person, VIA)
        return redirect(f"{request.path}#export-{row.pk}")
    context = export_page(study)
    if request.htmx:
        return render(request, "reports/_exports.html", context)
    return render(request, "reports/exports.html", {**context, "workers": worker_status()})


@require_safe
@signed_in
def export_file(request: HtmxRequest, slug: str, pk: int) -> HttpResponseBase:
    """The file of a kept export."""
    person = person_of(request)
    row = kept_export_for(person, slug, pk)
    if not row.has_file:
        raise Http404(NOTHING)
    try:
        response = send_file(request, place_of(row), download_name(row), row.sha256)
    except FileNotFoundError:
        raise Http404(NOTHING) from None
    note_seen(row.study, person, ResultPage.EXPORT)
    return response

"""The report of a study, and what its figures mean."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from reports.access import reported_study
from reports.definitions import definitions


@require_safe
@signed_in
def report(request: HttpRequest, slug: str) -> HttpResponse:
    study = reported_study(person_of(request), slug)
    return render(request, "reports/report.html", {"study": study})


@require_safe
@signed_in
def glance(request: HttpRequest, slug: str) -> HttpResponse:
    study = reported_study(person_of(request), slug)
    return render(request, "reports/_glance.html", {"study": study})


@require_safe
@signed_in
def statistics(request: HttpRequest) -> HttpResponse:
    return render(request, "reports/statistics.html", {"html": definitions()})

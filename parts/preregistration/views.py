"""The page on which a plan is registered and compared with what was done, and its files."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, signed_in
from agreement.catalogue.report_catalogue import FIGURES
from annotation.access import NOTHING
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from config.background.rows import WAITING, Status
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from parts.preregistration.forms import PreregistrationForm
from parts.preregistration.models import Preregistration
from parts.preregistration.plan_differences import plan_differences
from parts.preregistration.registered_plans import plan_text, registered_plans
from parts.preregistration.registering import has_answers, register_plan
from reports.access import reported_study
from reports.kept.kept_reports import kept_report

MEDIA_TYPES = {"json": "application/json", "md": "text/markdown; charset=utf-8"}


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def plans(request: HtmxRequest, slug: str) -> HttpResponse:
    """The registered plans of a study, and the form for one before the first answer."""
    person = person_of(request)
    study = reported_study(person, slug)
    form = PreregistrationForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            register_plan(study, form.chosen(), person)
            return redirect("preregistration:plans", slug)
        except StudyRefusedError as problem:
            form.add_error(None, str(problem))
    context = {**_page(study), "form": form, "workers": worker_status()}
    template = "preregistration/_plans.html" if request.htmx else "preregistration/plans.html"
    return render(request, template, context, status=422 if form.is_bound else 200)


def _page(study: Study) -> dict[str, Any]:
    found = registered_plans(study)
    rows = Preregistration.objects.filter(study=study)
    failed = rows.exclude(status__in=[*WAITING, Status.DONE]).order_by("-number").first()
    context: dict[str, Any] = {
        "study": study,
        "waiting": rows.filter(status__in=WAITING).first(),
        "failed": failed if failed and not (found and found[0].number > failed.number) else None,
        "plans": [(row, row.parsed_body()) for row in found],
        "titles": {name: one.title for name, one in FIGURES.items()},
        "has_answers": has_answers(study),
    }
    if found:
        done = kept_report(study, "done_facts", {})
        context |= {"done": done, "facts": done.figures if done.is_there else None}
        if done.is_there and "registered_at" in found[0].parsed_body():
            context["differences"] = plan_differences(found[0].parsed_body(), done.figures)
    return context


@require_safe
@signed_in
def plan_file(request: HtmxRequest, slug: str, number: int, ending: str) -> HttpResponse:
    """A registered plan as the very bytes that its hash is of, or as Markdown."""
    study = reported_study(person_of(request), slug)
    row = Preregistration.objects.filter(study=study, number=number, status=Status.DONE).first()
    if row is None or ending not in MEDIA_TYPES:
        raise Http404(NOTHING)
    response = HttpResponse(plan_text(row, ending), content_type=MEDIA_TYPES[ending])
    response["Content-Disposition"] = f'attachment; filename="{slug}-plan-{number}.{ending}"'
    return response

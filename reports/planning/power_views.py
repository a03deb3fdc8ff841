"""The page on which people plan how many items and raters a study needs, and what they cost."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from annotation.models import Study
from annotation.studies.pace_plan import pace_in, tasks_per_person
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from recruiting.stopping.peeking import Kind, note_peek
from reports.access import reported_study
from reports.display.kept_status import KeptStatus
from reports.kept_reports import kept_report
from reports.planning.power_form import DEFAULTS, PowerForm, filled, power_choices


def defaults_of(study: Study) -> dict[str, Any]:
    """Minutes and pay per task, minutes of the steps, tasks per person and the currency, as the study says them."""
    pace = pace_in(study)
    given: dict[str, Any] = {"tasks_per_person": tasks_per_person(study)}
    if pace is not None:
        given |= {"minutes_per_task": pace.minutes_per_task, "pay_per_task": pace.pay_per_task}
        given |= {"currency": pace.currency, "step_minutes": pace.step_minutes if study.has_steps else None}
    return {key: value for key, value in given.items() if value is not None}


@require_safe
@signed_in
def power(request: HtmxRequest, slug: str) -> HttpResponse:
    """The form, and the sizes for what it says once it was sent."""
    study = reported_study(person_of(request), slug)
    defaults = {**DEFAULTS, **defaults_of(study)}
    asked = "figure" in request.GET
    form = PowerForm(filled(request.GET, defaults) if asked else None, initial=defaults)
    context: dict[str, Any] = {"study": study, "form": form, "workers": worker_status(), "asked": asked}
    if asked and form.is_valid():
        kept = kept_report(study, "power", power_choices(form), person_of(request))
        context |= {"kept": kept, "status": KeptStatus.of([kept], request.GET)}
        context["report"] = kept.figures if kept.is_there else None
        if kept.is_there and form.cleaned_data["question"]:
            note_peek(study, person_of(request), Kind.POWER)
    template = "reports/_power.html" if request.htmx else "reports/power.html"
    return render(request, template, context, status=422 if asked and form.errors else 200)

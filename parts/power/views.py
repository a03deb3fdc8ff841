"""The page on which people plan how many items and raters a study needs, and what they cost."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from parts.power.forms import DEFAULTS, PowerForm, defaults_of, filled, power_choices
from reports.access import reported_study
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus
from reports.pages.seen_results import note_seen


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
            note_seen(study, person_of(request), "power")
    template = "power/_power.html" if request.htmx else "power/power.html"
    return render(request, template, context, status=422 if asked and form.errors else 200)

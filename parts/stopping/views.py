"""The page about a study's stop rules, and the decision to go on after they have stopped it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.studies.corrections import StudyRefusedError
from config.background.kinds import works
from config.background.waking import enqueue_again
from config.background.workers import worker_status
from config.htmx_request import HtmxRequest
from parts.stopping.fixing import continue_study
from parts.stopping.looking import WORK_KEY
from parts.stopping.models import StopLook
from parts.stopping.stop_page import stop_context
from reports.access import reported_study


@require_safe
@signed_in
def stop_rules(request: HtmxRequest, slug: str) -> HttpResponse:
    """The plan, every look so far, and what ended the study."""
    study = reported_study(person_of(request), slug)
    context = {**stop_context(study), "workers": worker_status()}
    return render(request, "stopping/_stop_looks.html" if request.htmx else "stopping/stop_rules.html", context)


@require_POST
@signed_in
def continue_stopped(request: HtmxRequest, slug: str) -> HttpResponse:
    """Let a study that its rules have stopped go on, for a reason."""
    person = person_of(request)
    study = reported_study(person, slug)
    try:
        continue_study(study, request.POST.get("reason", ""), person)
    except StudyRefusedError as problem:
        context = {**stop_context(study), "workers": worker_status(), "problem": str(problem)}
        return render(request, "stopping/stop_rules.html", context, status=422)
    messages.success(request, "The study goes on. Its report says so, with your reason.")
    return redirect("stopping:stop_rules", slug)


@require_POST
@signed_in
def repeat_look(request: HtmxRequest, slug: str) -> HttpResponse:
    """Try a look again that could not be taken."""
    study = reported_study(person_of(request), slug)
    failed = StopLook.objects.filter(plan__study=study, status__in=["failed", "stopped"]).first()
    if failed is not None:
        enqueue_again(works()[WORK_KEY], failed)
    return redirect("stopping:stop_rules", slug)

"""A study's pages for the people who run it: overview, status and settings."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.access import person_of, signed_in
from annotation.access import OWNERS, RESEARCHERS, may, may_make_studies, study_for
from annotation.blinding import blinding_state
from annotation.forms import DescriptionForm, ProjectForm, ReasonForm
from annotation.models import Guideline, Question, Study
from annotation.option_words import options_in_words
from annotation.protocols import protocols
from annotation.studies import lifecycle
from annotation.studies.live_checks import (
    CHECKS,
    DraftFacts,
    LiveProblem,
    invited_annotators,
    live_problems,
)
from annotation.studies.newer_counts import UNCHANGED, has_shown
from annotation.studies.notices import study_notices
from annotation.studies.planning import is_planned
from annotation.studies.preparing_tasks import go_live, newest_preparation, prepare_few, request_preparation
from annotation.studies.projects import projects_to_offer
from annotation.studies.reading_speed import FASTEST
from annotation.studies.study_overview import Contribution, Overview, overview_of
from config.htmx_request import HtmxRequest

SHOWN_RATERS, SHOWN_HASTY = 10, 3


@require_safe
@signed_in
def study(request: HtmxRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    overview = overview_of(study, [CHECKS] if (is_draft := study.status == Study.Status.DRAFT) else ())
    if has_shown(request, overview.kept):
        return HttpResponse(status=UNCHANGED)
    people = overview.contributions()
    annotators = sum(one.may_annotate for one in people)
    questions, guidelines = list(study.questions.order_by("position")), list(study.guidelines.order_by("-number"))
    invited = invited_annotators(study) if is_draft or not annotators else 0
    context = {
        "study": study,
        "protocol": protocols()[study.protocol],
        "owns": may(person, study, OWNERS),
        "overview": overview,
        "kept": overview.kept,
        "prepared": is_planned(study),
        "preparation": newest_preparation(study),
        "live_problems": _problems(overview, questions, guidelines, annotators, invited) if is_draft else (),
        "progress": overview.progress,
        "pace": overview.pace,
        **_first_of([one for one in people if one.is_annotating]),
        "annotators": annotators,
        "invited": invited,
        "options": options_in_words(study),
        "questions": questions,
        "guidelines": guidelines,
        "notices": study_notices(study),
    }
    return render(request, "annotation/study.html", context)


def _first_of(working: list[Contribution]) -> dict[str, Any]:
    """The raters that the page shows, and how many others there are."""
    first = {"contributions": working[:SHOWN_RATERS], "more_raters": max(len(working) - SHOWN_RATERS, 0)}
    return first | _hasty(working)


def _hasty(working: list[Contribution]) -> dict[str, Any]:
    """The raters with answers that came faster than reading, those with most first."""
    hasty = sorted((one for one in working if one.hasty.answers), key=lambda one: -one.hasty.answers)
    return {
        "hasty": hasty[:SHOWN_HASTY],
        "more_hasty": max(len(hasty) - SHOWN_HASTY, 0),
        "fastest_reading": FASTEST,
        "hasty_answers": sum(one.hasty.answers for one in hasty),
    }


def _problems(
    overview: Overview, questions: list[Question], guidelines: list[Guideline], annotators: int, invited: int
) -> list[LiveProblem]:
    items = overview.items if overview.kept is None else None  # kept counts may be older than the first items
    newest = guidelines[0].text if guidelines else ""
    checks = overview.also.get(CHECKS)
    return live_problems(overview.study, DraftFacts(questions, newest, annotators, items, checks, invited))


@require_POST
@signed_in
def make_live(request: HtmxRequest, slug: str) -> HttpResponse:
    """Go live if only few items have no tasks yet; otherwise workers make the tasks first, and the page shows it."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    try:
        if not study.is_live:
            if go_live(study, person):
                messages.success(request, "The study is live: annotators can start.")
        elif prepare_few(study):
            messages.success(request, "All items are prepared.")
        else:
            request_preparation(study, person, goes_live=False)
    except lifecycle.StudyRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, study)


@require_safe
@signed_in
def preparation(request: HtmxRequest, slug: str) -> HttpResponse:
    """How far the tasks of the items are; when they are all made, the whole page is shown again."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    newest = newest_preparation(study)
    if newest is None or not newest.is_waiting:
        if newest is not None and newest.goes_live and study.is_live:
            messages.success(request, "The study is live: annotators can start.")
        return _back(request, study)
    return render(request, "annotation/_preparing.html", {"study": study, "preparation": newest})


def _back(request: HtmxRequest, study: Study) -> HttpResponse:
    address = reverse("annotation:study", args=[study.slug])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


@require_POST
@signed_in
def pause(request: HtmxRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    try:
        lifecycle.pause(study, person, _reason(request))
        messages.success(request, "The study is paused: no new tasks are given out.")
    except lifecycle.StudyRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, study)


@require_POST
@signed_in
def close(request: HtmxRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    try:
        lifecycle.close(study, person, _reason(request))
        messages.success(request, "The study is closed.")
    except lifecycle.StudyRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, study)


@require_POST
@signed_in
def reopen(request: HtmxRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, OWNERS)
    try:
        lifecycle.reopen(study, person, _reason(request))
        messages.success(request, "The study is live again.")
    except lifecycle.StudyRefusedError as problem:
        messages.error(request, str(problem))
    return _back(request, study)


def _reason(request: HttpRequest) -> str:
    form = ReasonForm(request.POST)
    return form.cleaned_data["reason"] if form.is_valid() else ""


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    form = DescriptionForm(
        request.POST if request.method == "POST" else None,
        initial={"title": study.title, "description": study.description, "contact": study.contact},
        locked=study.locked_at is not None,
    )
    if request.method == "POST" and form.is_valid():
        changed = lifecycle.describe(study, person, **form.cleaned_data)
        messages.success(request, "Saved." if changed else "Nothing was changed.")
        return redirect("annotation:settings", slug=slug)
    status = 422 if form.is_bound else 200
    owns = may(person, study, OWNERS)
    context = {"study": study, "form": form, "owns": owns, "blinding": blinding_state(study),
               "makes_studies": may_make_studies(person)}  # fmt: skip
    if owns:
        context["project_form"] = ProjectForm(initial={"name": study.project.name if study.project else ""})
        context["projects"] = projects_to_offer(person)
    return render(request, "annotation/settings.html", context, status=status)
